import Graphs

/// Consecutive elementwise operations that run on the device as one step; the values between them stay in registers.
/// The first may be a layer that lets them work on its results before it stores them.
struct ElementwiseFusion: Sendable {
    let operations: Range<Int>
    let stage: any ElementwiseStage
    /// Planned values, in the order of the stage's inputs; nil where an optional one is absent.
    let inputs: [Int?]
}

extension Planner {
    /// Joins the device's elementwise operations, and layers before them, where each is the only reader of the one
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
            if fusion.operations.count > 1 { draft.fusions.append(fusion) }
            index = fusion.operations.upperBound
        }
    }

    private func fusion(ofOperation index: Int, _ draft: Draft) -> ElementwiseFusion? {
        let operation = draft.operations[index]
        guard operation.backend.space == .device, let stage = operation.candidate.elementwise else { return nil }
        guard operation.outputs.count == 1 else { return nil }
        return ElementwiseFusion(operations: index..<index + 1, stage: stage, inputs: operation.inputs)
    }

    private func fusion(
        _ fusion: ElementwiseFusion, and index: Int, _ draft: Draft, _ outputs: Set<Int>
    ) -> ElementwiseFusion? {
        guard index < draft.operations.count, let next = self.fusion(ofOperation: index, draft) else { return nil }
        let result = draft.operations[index - 1].outputs[0]
        guard draft.values[result].readers == [index], !outputs.contains(result),
            draft.values[result].type.shape == draft.operations[index].request.outputs[0].shape,
            let position = next.inputs.firstIndex(of: result),
            let stage = fusion.stage.followed(by: next.stage, at: position)
        else { return nil }
        var others = next.inputs
        others.remove(at: position)
        return ElementwiseFusion(
            operations: fusion.operations.lowerBound..<index + 1, stage: stage, inputs: fusion.inputs + others)
    }
}
