import Tensors

extension Planner {
    /// Makes the steps: one per operation that is not a view, one per chain.
    func steps(
        _ draft: Draft, _ placement: Placement, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> [Plan.PlannedStep] {
        defer { packedWeights.releaseScratch() }
        let chains = Dictionary(draft.chains.map { ($0.operations.lowerBound, $0) }) { first, _ in first }
        var steps: [Plan.PlannedStep] = []
        var index = 0
        while index < draft.operations.count {
            if let chain = chains[index] {
                let last = chain.operations.upperBound - 1
                steps.append(.init(layer: last, step: try step(chain, draft, placement, packedWeights)))
                index = chain.operations.upperBound
                continue
            }
            let operation = draft.operations[index]
            if !operation.outputs.allSatisfy(placement.views.contains) {
                let operands = operands(index, draft, placement, packedWeights)
                let step = try Self.make(operation) { try operation.candidate.makeStep(operands) }
                steps.append(.init(layer: index, step: step))
            }
            index += 1
        }
        return steps
    }

    private func step(
        _ chain: StripChain, _ draft: Draft, _ placement: Placement, _ packedWeights: PackedWeights
    ) throws(PlanningError) -> any Step {
        var stages: [any RowStep] = []
        for index in chain.operations {
            let operation = draft.operations[index]
            guard let stage = operation.candidate.rowStage else { continue }
            let operands = operands(index, draft, placement, packedWeights)
            stages.append(try Self.make(operation) { try stage.makeStep(operands) })
        }
        let first = chain.operations.lowerBound
        let firstOperands = operands(first, draft, placement, packedWeights)
        let lastOperands = operands(chain.operations.upperBound - 1, draft, placement, packedWeights)
        return try Self.make(draft.operations[first]) {
            StripStep(
                chain: chain, stages: stages, input: try firstOperands.input(0), output: lastOperands.outputs[0],
                scratch: firstOperands.scratch)
        }
    }

    private func operands(
        _ index: Int, _ draft: Draft, _ placement: Placement, _ packedWeights: PackedWeights
    ) -> StepOperands {
        let operation = draft.operations[index]
        return StepOperands(
            inputs: operation.inputs.map { $0.map { placement.operands[$0] } },
            outputs: operation.outputs.map { placement.operands[$0] },
            scratch: placement.scratch[index], packedWeights: packedWeights)
    }

    private static func make<Made>(
        _ operation: Draft.Operation, _ body: () throws -> Made
    ) throws(PlanningError) -> Made {
        do {
            return try body()
        } catch let error as TensorError {
            throw .tensor(error)
        } catch {
            throw .run(node: operation.node.name, operatorName: operation.node.operatorName, message: "\(error)")
        }
    }
}
