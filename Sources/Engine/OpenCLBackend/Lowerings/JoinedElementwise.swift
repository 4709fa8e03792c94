import Planning

/// Stages of one or several elementwise nodes, over the inputs of all of them.
struct JoinedElementwise: ElementwiseStage {
    let inputCount: Int
    /// Its operands are positions among the inputs.
    let chain: ElementwiseChain

    func followed(by next: any ElementwiseStage, at position: Int) -> (any ElementwiseStage)? {
        guard let next = next as? JoinedElementwise, !chain.writesBytes, !next.chain.readsIntegers,
            next.chain.operands.count(where: { $0 == position }) == 1,
            let place = next.chain.operands.firstIndex(of: position)
        else { return nil }
        var stages = next.chain.stages
        // The result goes through all stages that follow, so it has to be the first value.
        if place == 1, stages[0].operand == 1, let exchanged = Self.exchanged[stages[0].function] {
            stages[0].function = exchanged
        } else if place != 0 {
            return nil
        }
        let count = chain.operands.count
        for index in stages.indices {
            guard let operand = stages[index].operand else { continue }
            stages[index].operand = operand == place ? count : count + operand - 1
        }
        var others = next.chain.operands
        others.remove(at: place)
        let operands = chain.operands + others.map { inputCount + ($0 < position ? $0 : $0 - 1) }
        let joined = ElementwiseChain(
            operands: operands, stages: chain.stages + stages, readsIntegers: chain.readsIntegers,
            writesBytes: next.chain.writesBytes)
        // Several kernels pass numbers on through the result's memory.
        guard !joined.writesBytes || joined.isOneKernel else { return nil }
        return JoinedElementwise(inputCount: inputCount + next.inputCount - 1, chain: joined)
    }

    /// The functions that give the same with the operands exchanged.
    private static let exchanged = [
        "stage_add": "stage_add", "stage_mul": "stage_mul", "stage_max": "stage_max", "stage_min": "stage_min",
        "stage_sub": "stage_sub_from", "stage_div": "stage_div_into",
    ]

    func makeStep(_ inputs: [Operand?], _ output: Operand) throws -> ElementwiseStep {
        let values = try chain.operands.map { index in
            guard let input = inputs[index] else { throw PlanningError.missingOperand(index) }
            return try input.onDevice()
        }
        return .device(KernelStep(chain.calls(values, to: output)))
    }
}
