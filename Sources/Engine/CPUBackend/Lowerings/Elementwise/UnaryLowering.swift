import CPUKernels
import Graphs
import Planning
import Tensors

/// Activations and other functions of one element.
struct UnaryLowering: Lowering {
    let name = "elementwise-unary"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard Function.takes(request.operation) else { return .otherOperator }
        guard let function = Function(request) else { return .decline("no kernel computes this function") }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard request.inputs[0]?.shape == request.outputs[0].shape else { return .decline("the input is broadcast") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1, threads: 1),
                inputLayouts: [layout], outputLayouts: [layout],
                bfloat16Operands: .init(read: [0], isWritten: true),
                elementwise: JoinedFunctions(.unary(function), request)
            ) { operands in
                let pass = try ElementwisePass(try operands.input(0), nil, operands.outputs[0])
                return UnaryStep(function: function, pass: pass)
            })
    }

    /// What the kernel computes: a row of the table of functions.
    struct Function: BitwiseCopyable, Sendable {
        var kind = apus_unary_kind(rawValue: 0)
        let alpha: Float
        let beta: Float

        /// Whether operators of this type may be functions of one element.
        static func takes(_ operation: any Operator) -> Bool {
            operation is any ElementwiseUnary || operation is Clip || operation is Pow
        }

        init?(_ request: LoweringRequest) {
            let function: KernelFunction
            switch request.operation {
            case let unary as any ElementwiseUnary: function = unary.kernelFunction
            case let clip as Clip:
                guard let (low, high) = clip.bounds(request.inputs) else { return nil }
                function = KernelFunction(Clip.name, alpha: low, beta: high)
            case is Pow where request.constants[1]?.isNumber(2) ?? false: function = KernelFunction("Square")
            default: return nil
            }
            guard apus_find_unary(function.name, &kind) != 0 else { return nil }
            (alpha, beta) = (function.alpha, function.beta)
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
        let input: UnsafeRawPointer
        let output: UnsafeMutableRawPointer
        let isBFloat16: (input: Int32, output: Int32)
        var loop: StridedLoop
        let function: UnaryLowering.Function
    }

    let function: UnaryLowering.Function
    let pass: ElementwisePass

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.memory.address(pass.a), output: context.memory.mutableAddress(pass.output),
            isBFloat16: (pass.a.bfloat16Flag, pass.output.bfloat16Flag), loop: pass.loop, function: function)
        context.workers.run(pass.loop.pieceCount, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let rows = it.loop.rows(index)
            apus_unary_rows(
                it.function.kind, it.function.alpha, it.function.beta, &it.loop.loop, it.input, it.isBFloat16.input,
                it.output, it.isBFloat16.output, rows.lowerBound, rows.upperBound)
        }
    }
}
