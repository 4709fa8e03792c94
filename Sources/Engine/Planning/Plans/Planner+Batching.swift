import Graphs
import Tensors

extension Planner {
    /// Decides how many images of a batch run at a time.
    ///
    /// - Returns: The decision, and the graph for one run when that is not the whole batch.
    func batching(
        _ graph: Graph, _ inputShapes: [[Int]], _ whole: Prepared, _ batch: BatchTypes?,
        _ packedWeights: PackedWeights
    ) throws(PlanningError) -> (Batching, Prepared?) {
        func runsWhole(_ reason: String) -> (Batching, Prepared?) { (Batching(runCount: 1, reason: reason), nil) }
        guard let batch, let first = batch.inputs.first else { return runsWhole("the inputs declare no batch size") }
        let count = inputShapes[first][0]
        guard count > 1 else { return runsWhole("one image") }
        guard let division else { return runsWhole("batches are to be run whole") }
        func part(_ images: Int) throws(PlanningError) -> Prepared {
            let shapes = inputShapes.enumerated().map { index, shape in
                batch.inputs.contains(index) ? [images] + shape.dropFirst() : shape
            }
            return try prepare(graph, shapes, batch)
        }
        let one = try part(1)
        if let reason = one.graph.reasonAgainstSeparation(comparedWith: whole.graph, one.batch ?? batch) {
            return runsWhole(reason)
        }
        let images: Int
        let reason: String
        switch division {
        case .images(let wanted):
            images = (1...count).last { $0 <= wanted && count % $0 == 0 } ?? 1
            reason = "\(wanted) images are to be run at a time"
        case .fitting(let cacheByteCount):
            if let device = deviceBackend?.device, try draft(whole, packedWeights).usesDevice {
                return runsWhole("layers run on \(device.name)")
            }
            var draft = try draft(one, packedWeights)
            planStrips(&draft)
            let cost = BatchingCost(draft, MemoryPlan(draft), cacheByteCount: cacheByteCount)
            images = cost.imagesPerRun(batch: count)
            reason = "\(cost.arenaByteCount) bytes of values per image, \(cacheByteCount) bytes of cache"
        }
        guard images < count else { return runsWhole(reason) }
        return (Batching(runCount: count / images, reason: reason), images == 1 ? one : try part(images))
    }
}

extension BatchingCost {
    /// - Parameters:
    ///   - draft: The plan in the making for one image.
    ///   - placement: The draft's memory.
    init(_ draft: Draft, _ placement: MemoryPlan, cacheByteCount: Int) {
        func isConstant(_ value: Draft.Value) -> Bool { if case .constant = value.source { true } else { false } }
        let moving = draft.operations.filter { operation in !operation.outputs.allSatisfy(placement.views.contains) }
        let strips = draft.chainOfValue
        let moved = moving.flatMap { operation in operation.inputs.compactMap { $0 } + operation.outputs }
            .filter { strips[$0] == nil }
        self.init(
            arenaByteCount: placement.arenaByteCount,
            activationByteCount: moved.map { draft.values[$0] }.filter { !isConstant($0) }.map(\.type.byteCount)
                .reduce(0, +),
            weightByteCount: draft.values.filter(isConstant).map(\.type.byteCount).reduce(0, +),
            stepCount: moving.count, cacheByteCount: cacheByteCount)
    }
}
