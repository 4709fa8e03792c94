import Graphs
import Tensors

/// The plain evaluation of every operator: slow, and the measure of every other backend.
package struct ReferenceBackend: Backend {
    package init() {}
    package var name: String { "reference" }
    package var deviceDescription: String { "plain Swift, one thread, float64 sums" }
    package var lowerings: [any Lowering] { [EvaluationLowering()] }
}

/// Runs any node by its operator's own evaluation. Its steps allocate.
struct EvaluationLowering: Lowering {
    let name = "evaluation"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        // About one multiply-add and 50 bytes per nanosecond's worth of work, and 20 µs to start.
        let cost = request.cost
        let operation = request.operation
        let taps = (operation as? any Pooling)?.tapCount(inputs: request.inputs, outputs: request.outputs) ?? 0
        let microseconds = 20 + (Double(cost.multiplyAdds) + Double(taps)) / 300 + Double(cost.bytes) / 200
        // All that the operator gives, whether wanted or not.
        let types = (try? operation.outputTypes(for: request.inputs)) ?? request.outputs
        let outputLayouts: [Layout] =
            if let reorder = operation as? Reorder { [reorder.target] } else { request.outputs.map { _ in .rowMajor } }
        return .accept(
            Candidate(
                microseconds: microseconds, inputLayouts: request.inputs.map { _ in nil }, outputLayouts: outputLayouts
            ) { operands in
                EvaluationStep(
                    operation: operation, types: types, inputs: try operands.allInputs(), outputs: operands.outputs)
            })
    }
}

private struct EvaluationStep: Step {
    let operation: any Operator
    let types: [TensorType]
    let inputs: [Operand?]
    let outputs: [Operand]

    func run(_ context: StepContext) throws {
        let inputs = try inputs.map { operand in try operand.map { try tensor($0, context.memory) } }
        let results = try operation.evaluateInBudget(inputs, outputTypes: types)
        for (result, operand) in zip(results, outputs) {
            guard result.shape == operand.shape, result.elementType == operand.elementType else {
                throw OperatorError.invalid(
                    "evaluates to \(result.elementType)\(result.shape), not \(operand.elementType)\(operand.shape)")
            }
            operand.store(result, to: context.memory)
        }
    }

    private func tensor(_ operand: Operand, _ memory: RunMemory) throws -> Tensor {
        if case .constant(let tensor) = operand.place { return tensor }
        return try operand.load(from: memory)
    }
}
