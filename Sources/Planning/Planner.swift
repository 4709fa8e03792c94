import Graphs
import Tensors

/// Lowers a graph onto backends for one set of input extents.
package struct Planner: Sendable {
    /// The backends that may be used, preferred first.
    package let backends: [any Backend]
    /// How many threads a run may use.
    package let threadCount: Int

    /// The most bytes that a value may take: more than any machine has, and few enough that sums of them can be counted.
    private static let largestValue = 1 << 42

    package init(backends: [any Backend], threadCount: Int) {
        self.backends = backends
        self.threadCount = threadCount
    }

    /// Plans a graph.
    ///
    /// - Parameters:
    ///   - graph: A valid graph, decluttered or not.
    ///   - inputShapes: The extents of every input, in the order of `graph.inputs`.
    ///   - packedWeights: Where rearranged weights are kept.
    package func plan(
        _ graph: Graph, inputShapes: [[Int]], packedWeights: PackedWeights
    ) throws(PlanningError) -> Plan {
        guard graph.missingWeights.isEmpty else {
            throw .missingWeights(graph.missingWeights.map { graph[$0].name })
        }
        let specialized: Graph
        let types: [TensorType?]
        do {
            specialized = try Rewrites.declutter(try graph.specialized(inputShapes: inputShapes)).graph
            types = try specialized.inferTypes(inputShapes: inputShapes)
        } catch {
            throw .graph(error)
        }
        for (value, type) in zip(specialized.values, types) {
            guard let type, type.byteCount > Self.largestValue else { continue }
            throw .tooLarge(value: value.name, byteCount: type.byteCount)
        }
        var draft = try draft(specialized, types, packedWeights)
        planStrips(&draft)
        let placement = Placement(draft)
        return try assemble(specialized, draft, placement, packedWeights)
    }

    private func assemble(
        _ graph: Graph, _ draft: Draft, _ placement: Placement, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Plan {
        Plan(
            inputs: zip(graph.inputs, graph.inputs.indices).map { id, index in
                Plan.Port(name: graph[id].name, type: draft.values[index].type)
            },
            outputs: zip(graph.outputs, draft.outputs).map { id, value in
                Plan.Output(name: graph[id].name, operand: placement.operands[value])
            },
            steps: try steps(draft, placement, packedWeights), layers: PlannedLayer.all(draft, placement),
            arenaByteCount: placement.arenaByteCount, threadCount: threadCount)
    }
}
