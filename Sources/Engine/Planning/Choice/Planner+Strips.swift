import Graphs

extension Planner {
    /// The largest value, in bytes, that is still in caches when it is read: a worker's cache, at most 1 MiB.
    private static func cachedByteCount(_ cache: Int) -> Int { min(cache, 1 << 20) }
    /// The bytes that the values between a chain's operations may take: half of a worker's cache, at most 512 KiB.
    private static func stripByteCount(_ cache: Int) -> Int { min(cache / 2, 512 << 10) }
    /// An operation's weights may fill 1/`weightsPart` of a worker's cache, since every strip reads them again.
    private static let weightsPart = 2

    /// Finds consecutive operations with values between them that are too large for the cache, and plans to run them
    /// strip by strip. The decision depends only on the geometry of one image.
    func planStrips(_ draft: inout Draft) {
        let outputs = Set(draft.outputs)
        var first = 0
        while first < draft.operations.count {
            var end = first + 1
            while end < draft.operations.count, draft.operations[end - 1].candidate.rowStage != nil {
                let obstacle = obstacle(first..<end, draft, outputs)
                draft.operations[end - 1].stripReason = obstacle
                if obstacle != nil { break }
                end += 1
            }
            if end > first + 1 { addChain(first..<end, &draft) }
            first = end
        }
    }

    /// Why operations that can run strip by strip do not include the next one; nil when they do.
    private func obstacle(_ operations: Range<Int>, _ draft: Draft, _ outputs: Set<Int>) -> String? {
        let next = draft.operations[operations.upperBound]
        let operation = draft.operations[operations.upperBound - 1]
        guard let output = operation.outputs.first, operation.outputs.count == 1 else { return "it has more outputs" }
        let value = draft.values[output]
        if outputs.contains(output) { return "the output is the network's" }
        guard value.readers.count == 1 else { return "the output is read \(value.readers.count) times" }
        guard value.readers == [operations.upperBound], next.inputs.first == output else {
            return "the next layer does not slide over the output"
        }
        guard let reader = next.candidate.rowStage, next.backend.name == operation.backend.name else {
            return "\(next.backend.name)/\(next.choice.contender.lowering.name) reads the whole output"
        }
        guard value.layout == .channelsLast, value.type.shape.count == 4 else { return "rows are not adjacent" }
        let cache = operation.backend.workerCacheByteCount
        let byteCount = imageByteCount(output, draft)
        if byteCount <= Self.cachedByteCount(cache) {
            return "an image's output of \(byteCount) bytes stays in the cache"
        }
        if operations.count == 1, let input = operation.inputs[0], imageByteCount(input, draft) > byteCount {
            return "most of its memory traffic is reading its input"
        }
        let weights = max(reader.weightsByteCount, operation.candidate.rowStage?.weightsByteCount ?? 0)
        if weights > cache / Self.weightsPart { return "every strip would read \(weights) bytes of weights" }
        let (stages, rowByteCounts) = stages(operations.lowerBound..<operations.upperBound + 1, draft)
        let least = StripChain.minimumByteCount(stages, rowByteCounts)
        if least > Self.stripByteCount(cache) { return "an output row needs \(least) bytes of other rows" }
        return nil
    }

    private func imageByteCount(_ value: Int, _ draft: Draft) -> Int {
        let type = draft.values[value].type
        return type.byteCount / max(type.shape.first ?? 1, 1)
    }

    private func addChain(_ operations: Range<Int>, _ draft: inout Draft) {
        let last = draft.operations[operations.upperBound - 1]
        let cache = last.backend.workerCacheByteCount
        let (stages, rowByteCounts) = stages(operations, draft)
        draft.chains.append(
            StripChain(
                operations, stages, rowByteCounts, capacity: Self.stripByteCount(cache),
                imageCount: draft.values[last.outputs[0]].type.shape[0], threadCount: threadCount))
    }

    /// The row stages of the operations, as far as they have one, and the bytes of a row of each value between them.
    private func stages(_ operations: Range<Int>, _ draft: Draft) -> ([RowStage], [Int]) {
        let values = operations.dropLast().map { draft.values[draft.operations[$0].outputs[0]] }
        return (
            operations.compactMap { draft.operations[$0].candidate.rowStage },
            values.map { $0.type.shape[1] * $0.type.shape[3] * $0.type.elementType.byteCount }
        )
    }
}
