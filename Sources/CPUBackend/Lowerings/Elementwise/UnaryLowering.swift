import CPUKernels
import Graphs
import Planning
import Tensors

/// Activations and other functions of one element.
struct UnaryLowering: Lowering {
    let name = "elementwise-unary"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard let function = Function(request) else { return .decline("not an elementwise function") }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard request.inputs[0]?.shape == request.outputs[0].shape else { return .decline("the input is broadcast") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1, threads: 1),
                inputLayouts: [layout], outputLayouts: [layout]
            ) { operands in
                let pass = try ElementwisePass(try operands.input(0), nil, operands.outputs[0])
                return UnaryStep(function: function, pass: pass)
            })
    }

    /// What the kernel computes.
    struct Function: BitwiseCopyable, Sendable {
        var kind = APUS_UNARY_IDENTITY
        var alpha: Float = 0
        var beta: Float = 0
        var activation = apus_activation(nil)

        init?(_ request: LoweringRequest) {
            switch request.operation {
            case is Relu: activation = apus_activation(.relu)
            case let leaky as LeakyRelu: activation = apus_activation(.leakyRelu(slope: leaky.alpha))
            case let clip as Clip:
                guard let bounds = clip.bounds(request.inputs) else { return nil }
                activation = apus_activation(.clip(low: bounds.low, high: bounds.high))
            case is Sigmoid: kind = APUS_UNARY_SIGMOID
            case is Tanh: kind = APUS_UNARY_TANH
            case is Exp: kind = APUS_UNARY_EXP
            case is Sqrt: kind = APUS_UNARY_SQRT
            case is Abs: kind = APUS_UNARY_ABS
            case is Neg: kind = APUS_UNARY_NEG
            case is HardSwish: kind = APUS_UNARY_HARD_SWISH
            case let hard as HardSigmoid: (kind, alpha, beta) = (APUS_UNARY_HARD_SIGMOID, hard.alpha, hard.beta)
            case let gelu as Gelu: kind = gelu.isApproximate ? APUS_UNARY_GELU_TANH : APUS_UNARY_GELU
            case let swish as Swish: (kind, alpha) = (APUS_UNARY_SWISH, swish.alpha)
            case is Erf: kind = APUS_UNARY_ERF
            case is Reciprocal: kind = APUS_UNARY_RECIPROCAL
            case is Floor: kind = APUS_UNARY_FLOOR
            case is Ceil: kind = APUS_UNARY_CEIL
            case is Softsign: kind = APUS_UNARY_SOFTSIGN
            case is Pow where request.constants[1]?.isNumber(2) ?? false: kind = APUS_UNARY_SQUARE
            case let elu as Elu: (kind, alpha) = (APUS_UNARY_ELU, elu.alpha)
            default: return nil
            }
        }
    }
}

extension Tensor {
    fileprivate func isNumber(_ number: Double) -> Bool {
        elementCount == 1 && elementType.isFloatingPoint && elements(as: Double.self) == [number]
    }
}

private struct UnaryStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        var loop: StridedLoop
        let function: UnaryLowering.Function
    }

    let function: UnaryLowering.Function
    let pass: ElementwisePass

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(pass.a), output: context.mutableFloats(pass.output), loop: pass.loop,
            function: function)
        context.workers.run(pass.loop.pieceCount, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let rows = it.loop.rows(index)
            apus_unary_rows(
                it.function.kind, it.function.alpha, it.function.beta, &it.loop.loop, it.input, it.output,
                it.function.activation, rows.lowerBound, rows.upperBound)
        }
    }
}
