import Graphs
import Tensors

extension Planner {
    /// Plans a graph.
    ///
    /// A batch whose images are independent is run some images at a time where ``division`` says so. The same kernels
    /// compute each image either way.
    ///
    /// - Parameters:
    ///   - graph: A valid graph, decluttered or not.
    ///   - inputShapes: The extents of every input, in the order of `graph.inputs`.
    ///   - packedWeights: Where rearranged weights are kept.
    ///   - isPart: Whether the graph is a part of a network, whose inputs may hold several images without declaring it.
    package func plan(
        _ graph: Graph, inputShapes: [[Int]], packedWeights: PackedWeights, isPart: Bool = false
    ) throws(PlanningError) -> Plan {
        guard graph.missingWeights.isEmpty else {
            throw .missingWeights(graph.missingWeights.map { graph[$0].name })
        }
        let batch = BatchTypes(graph, inputShapes: inputShapes)
        let whole = try prepare(graph, inputShapes, batch)
        let (batching, part) = try batching(graph, inputShapes, whole, batch, packedWeights)
        let prepared = part ?? whole
        let graph = prepared.graph
        var draft = try draft(prepared, packedWeights, isPart: isPart)
        planStrips(&draft)
        planFusions(&draft)
        let ports = graph.inputs.enumerated().map { index, id in
            let isDivided = batch?.inputs.contains(index) ?? false
            return Plan.Port(
                name: graph[id].name, type: draft.values[index].type, runCount: isDivided ? batching.runCount : 1)
        }
        return try assemble(
            draft, inputs: ports, outputNames: graph.outputs.map { graph[$0].name }, batching, packedWeights)
    }

    /// Makes the steps of a draft.
    func assemble(
        _ draft: Draft, inputs: [Plan.Port], outputNames: [String], _ batching: Batching, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> Plan {
        let placement = MemoryPlan(draft)
        let made = try steps(draft, placement, packedWeights)
        let part = deviceBackend?.device.map { device in
            DevicePart(
                device: device, steps: made.deviceSteps, arenaByteCount: placement.deviceArenaByteCount,
                stagingByteCount: made.stagingByteCount)
        }
        let outputs = zip(outputNames, draft.outputs).map { name, value in
            Plan.Output(name: name, operand: placement.operands[value], runCount: batching.runCount)
        }
        return Plan(
            inputs: inputs, inputByteStrides: inputs.map(\.runByteStride), outputs: outputs,
            outputByteStrides: outputs.map(\.runByteCount),
            steps: made.steps, layers: PlannedLayer.all(draft, placement), arenaByteCount: placement.arenaByteCount,
            devicePart: draft.usesDevice ? part : nil, threadCount: threadCount, batching: batching)
    }
}
