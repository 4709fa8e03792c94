import Graphs

/// Consecutive elementwise operations that run as one step. The values between them stay in registers on a device, and
/// in the first-level cache on the processor. On a device, the first may be a layer that lets them work on its results
/// before it stores them.
struct ElementwiseFusion: Sendable {
    let operations: Range<Int>
    let stage: any ElementwiseStage
    /// Planned values, in the order of the stage's inputs; nil where an optional one is absent.
    let inputs: [Int?]
}

extension Planner {
    /// Joins elementwise operations, and layers of a device before them, where each is the only reader of the one
    /// before.
    func planFusions(_ draft: inout Draft) {
        let outputs = Set(draft.outputs)
        var index = 0
        while index < draft.operations.count {
            guard var fusion = fusion(ofOperation: index, draft) else {
                index += 1
                continue
            }
            while let longer = self.fusion(fusion, and: fusion.operations.upperBound, draft, outputs) {
                fusion = longer
            }
            if fusion.operations.count > 1 {
                draft.fusions.append(fusion)
                if draft.operations[index].backend.space == .host {
                    for operation in fusion.operations { draft.operations[operation].isJoined = true }
                }
            }
            index = fusion.operations.upperBound
        }
    }

    private func fusion(ofOperation index: Int, _ draft: Draft) -> ElementwiseFusion? {
        let operation = draft.operations[index]
        guard let stage = operation.candidate.elementwise, operation.outputs.count == 1,
            operation.backend.space == .device || isDense(operation, draft)
        else { return nil }
        return ElementwiseFusion(operations: index..<index + 1, stage: stage, inputs: operation.inputs)
    }

    private func fusion(
        _ fusion: ElementwiseFusion, and index: Int, _ draft: Draft, _ outputs: Set<Int>
    ) -> ElementwiseFusion? {
        guard index < draft.operations.count, let next = self.fusion(ofOperation: index, draft) else { return nil }
        let result = draft.operations[index - 1].outputs[0]
        guard draft.values[result].readers == [index], !outputs.contains(result),
            draft.values[result].type.shape == draft.operations[index].request.outputs[0].shape,
            draft.operations[index].backend.space == draft.operations[index - 1].backend.space,
            draft.values[result].layout == draft.values[draft.operations[index].outputs[0]].layout,
            let position = next.inputs.firstIndex(of: result),
            let stage = fusion.stage.followed(by: next.stage, at: position)
        else { return nil }
        var others = next.inputs
        others.remove(at: position)
        return ElementwiseFusion(
            operations: fusion.operations.lowerBound..<index + 1, stage: stage, inputs: fusion.inputs + others)
    }

    /// Whether an operation of the processor reads and writes dense values of floats and bytes, none of which would be
    /// copied for that: no Concat and no Split is in place beside it.
    private func isDense(_ operation: Draft.Operation, _ draft: Draft) -> Bool {
        func isPlain(_ value: Int) -> Bool { [.float32, .int8, .uint8].contains(draft.values[value].type.elementType) }
        func isReadByNoConcatenation(_ value: Int) -> Bool {
            draft.values[value].readers.allSatisfy { draft.operations[$0].candidate.concatenationAxis == nil }
        }
        for input in operation.inputs.compactMap({ $0 }) {
            if case .constant = draft.values[input].source { continue }
            guard isPlain(input), isReadByNoConcatenation(input) else { return false }
            if case .operation(let producer) = draft.values[input].source,
                draft.operations[producer].candidate.splitAxis != nil
            {
                return false
            }
        }
        return operation.outputs.allSatisfy { isPlain($0) && isReadByNoConcatenation($0) }
    }
}
