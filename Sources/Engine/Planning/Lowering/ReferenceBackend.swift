import Graphs
import Tensors

/// The plain evaluation of every operator: slow, and the standard that every other backend is checked against.
package struct ReferenceBackend: Backend {
    package init() {}
    package var name: String { "reference" }
    package var deviceDescription: String { "plain Swift, one thread, float64 sums" }
    package var lowerings: [any Lowering] { [EvaluationLowering()] }
    package var isLastResort: Bool { true }
}

/// Runs any node by its operator's own evaluation. Its steps allocate.
struct EvaluationLowering: Lowering {
    let name = "evaluation"

    /// Expected microseconds, from times of evaluations on a processor of 2021: 5 to start, plus the time of the work.
    private static func microseconds(_ request: LoweringRequest) -> Double {
        let cost = request.cost
        let taps =
            (request.operation as? any Pooling)?.tapCount(inputs: request.inputs, outputs: request.outputs) ?? 0
        let rates = rates(request.operation)
        return 5 + Double(cost.multiplyAdds) / rates.multiplyAdds + Double(taps) / 100 + Double(cost.bytes)
            / rates.bytes
    }

    /// Multiply-adds and bytes per microsecond.
    private static func rates(_ operation: any Operator) -> (multiplyAdds: Double, bytes: Double) {
        switch operation {
        case is Concat, is Split, is Slice, is Reshape, is Flatten, is Squeeze, is Unsqueeze, is Transpose, is Identity,
            is Dropout, is Reorder:
            (1000, 5000)
        case is Conv, is Gemm, is MatMul: (3500, 1500)
        case is ScaledDotProductAttention: (1300, 1500)
        case is any ElementwiseUnary, is any BroadcastingOperator, is any Reduction, is any GlobalPooling,
            is any Pooling,
            is BatchNormalization, is LayerNormalization:
            (1000, 1000)
        default: (1000, 200)
        }
    }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let operation = request.operation
        // All outputs of the operator, whether wanted or not.
        let types = (try? operation.outputTypes(for: request.inputs)) ?? request.outputs
        let outputLayouts: [Layout] =
            if let reorder = operation as? Reorder { [reorder.target] } else { request.outputs.map { _ in .rowMajor } }
        return .accept(
            Candidate(
                microseconds: Self.microseconds(request), inputLayouts: request.inputs.map { _ in nil },
                outputLayouts: outputLayouts
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

    private func tensor(_ operand: Operand, _ memory: ExecutionMemory) throws -> Tensor {
        if case .constant(let tensor) = operand.place { return tensor }
        return try operand.load(from: memory)
    }
}
