import Graphs
import Tensors

/// Lowers a graph onto backends for one set of input extents.
package struct Planner: Sendable {
    /// The backends that may be used, preferred first.
    package let backends: [any Backend]
    /// How many threads a run may use.
    package let threadCount: Int
    /// How many images of a batch run at a time; nil for all.
    package let division: BatchDivision?

    /// The most bytes that a value may take: more than any machine has, and few enough that sums of them can be counted.
    private static let largestValue = 1 << 42

    package init(backends: [any Backend], threadCount: Int, division: BatchDivision? = nil) {
        self.backends = backends
        self.threadCount = threadCount
        self.division = division
    }

    /// Plans a graph.
    ///
    /// A batch whose images can be computed apart is run some images at a time where ``division`` says so; each is
    /// computed by the same kernels either way.
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
        let batch = BatchTypes(graph, inputShapes: inputShapes)
        let whole = try prepare(graph, inputShapes, batch)
        let (batching, part) = try batching(graph, inputShapes, whole, batch, packedWeights)
        let prepared = part ?? whole
        var draft = try draft(prepared.graph, prepared.types, ofOneImage: batch?.ofOneImage ?? [], packedWeights)
        planStrips(&draft)
        let placement = Placement(draft)
        return try assemble(prepared.graph, draft, placement, batching, batch, packedWeights)
    }

    /// A graph for one set of input extents, decluttered.
    struct Prepared {
        var graph: Graph
        var types: [TensorType?]
    }

    func prepare(
        _ graph: Graph, _ inputShapes: [[Int]], _ batch: BatchTypes?
    ) throws(PlanningError) -> Prepared {
        let prepared: Prepared
        do {
            let specialized = try Rewrites.declutter(
                try graph.specialized(inputShapes: inputShapes), types: batch?.symbolic
            ).graph
            prepared = Prepared(graph: specialized, types: try specialized.inferTypes(inputShapes: inputShapes))
        } catch {
            throw .graph(error)
        }
        for (value, type) in zip(prepared.graph.values, prepared.types) {
            guard let type, type.byteCount > Self.largestValue else { continue }
            throw .tooLarge(value: value.name, byteCount: type.byteCount)
        }
        return prepared
    }

    private func assemble(
        _ graph: Graph, _ draft: Draft, _ placement: Placement, _ batching: Batching, _ batch: BatchTypes?,
        _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Plan {
        Plan(
            inputs: zip(graph.inputs, graph.inputs.indices).map { id, index in
                Plan.Port(
                    name: graph[id].name, type: draft.values[index].type,
                    runCount: batch?.inputs.contains(index) ?? false ? batching.runCount : 1)
            },
            outputs: zip(graph.outputs, draft.outputs).map { id, value in
                Plan.Output(name: graph[id].name, operand: placement.operands[value], runCount: batching.runCount)
            },
            steps: try steps(draft, placement, packedWeights), layers: PlannedLayer.all(draft, placement),
            arenaByteCount: placement.arenaByteCount, threadCount: threadCount, batching: batching)
    }
}
