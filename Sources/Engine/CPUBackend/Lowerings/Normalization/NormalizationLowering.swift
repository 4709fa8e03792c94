import CPUKernels
import Graphs
import Planning
import Tensors

/// Batch normalisation with known statistics, as one multiplication and one addition per element.
struct BatchNormalizationLowering: Lowering {
    let name = "scale-and-shift"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let normalization = request.operation as? BatchNormalization else { return .otherOperator }
        if let refusal = request.refusalOfImages { return .decline(refusal) }
        guard request.outputs.count == 1, request.constants.count == 5 else {
            return .decline("running statistics are wanted")
        }
        let statistics = request.constants[1...].compactMap { $0?.elements(as: Double.self) }
        guard statistics.count == 4 else { return .decline("statistics are computed at run time") }
        let cost = Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                bfloat16Operands: .init(read: [0], isWritten: true)
            ) { operands in
                let (gamma, beta) = (statistics[0], statistics[1])
                let (mean, variance) = (statistics[2], statistics[3])
                let scale = gamma.indices.map {
                    gamma[$0] / (variance[$0] + Double(normalization.epsilon)).squareRoot()
                }
                let shift = gamma.indices.map { beta[$0] - mean[$0] * scale[$0] }
                return PixelStep(
                    input: try operands.input(0), output: operands.outputs[0],
                    activation: apus_activation(normalization.activation),
                    kernel: .scaleAndShift(
                        try Tensor(scale, as: .float32, shape: [scale.count]),
                        try Tensor(shift, as: .float32, shape: [shift.count])))
            })
    }
}

/// Local response normalisation across channels.
struct LocalResponseNormalizationLowering: Lowering {
    let name = "local-response-normalization"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let normalization = request.operation as? LRN else { return .otherOperator }
        if let refusal = request.refusalOfImages { return .decline(refusal) }
        let taps = (request.outputs[0].shape + [normalization.size]).saturatingProduct
        let cost = Speed.microseconds(
            OperatorCost(multiplyAdds: taps, bytes: request.cost.bytes),
            multiplyAddsPerMicrosecond: 1_000, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                bfloat16Operands: .init(read: [0], isWritten: true)
            ) { operands in
                PixelStep(
                    input: try operands.input(0), output: operands.outputs[0], activation: apus_activation(nil),
                    kernel: .localResponse(
                        size: normalization.size, alpha: normalization.alpha, beta: normalization.beta,
                        bias: normalization.bias))
            })
    }
}

/// Runs a kernel that computes each pixel of an image from one pixel of another; every row is a piece of work.
private struct PixelStep: Step {
    enum Kernel: Sendable {
        case scaleAndShift(Tensor, Tensor)
        case localResponse(size: Int, alpha: Float, beta: Float, bias: Float)
    }

    private struct Arguments: BitwiseCopyable {
        /// The first row of pixels.
        let pixels: apus_pixels
        let from: ImageView
        let to: ImageView
        let byteCounts: (input: Int, output: Int)
        let kernel: BoundKernel
        let activation: apus_activation
    }

    private enum BoundKernel: BitwiseCopyable {
        case scaleAndShift(UnsafePointer<Float>, UnsafePointer<Float>)
        case localResponse(size: Int, alpha: Float, beta: Float, bias: Float)
    }

    private let input: Operand
    private let output: Operand
    private let kernel: Kernel
    private let activation: apus_activation
    private let from: ImageView
    private let to: ImageView

    init(input: Operand, output: Operand, activation: apus_activation, kernel: Kernel) {
        self.input = input
        self.output = output
        self.activation = activation
        self.kernel = kernel
        from = ImageView(input)
        to = ImageView(output)
    }

    func run(_ context: StepContext) {
        let bound: BoundKernel =
            switch kernel {
            case .scaleAndShift(let scale, let shift): .scaleAndShift(scale.floats, shift.floats)
            case .localResponse(let size, let alpha, let beta, let bias):
                .localResponse(size: size, alpha: alpha, beta: beta, bias: bias)
            }
        let arguments = Arguments(
            pixels: apus_pixels(
                input: context.memory.address(input), input_stride: from.pixelStride,
                output: context.memory.mutableAddress(output), output_stride: to.pixelStride, count: to.width,
                channels: to.channels, input_is_bfloat16: input.bfloat16Flag, output_is_bfloat16: output.bfloat16Flag),
            from: from, to: to, byteCounts: (input.elementType.byteCount, output.elementType.byteCount),
            kernel: bound, activation: activation)
        context.workers.run(to.count * to.height, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (image, row) = index.quotientAndRemainder(dividingBy: it.to.height)
            var pixels = it.pixels
            pixels.input += (image * it.from.imageStride + row * it.from.rowStride) * it.byteCounts.input
            pixels.output += (image * it.to.imageStride + row * it.to.rowStride) * it.byteCounts.output
            switch it.kernel {
            case .scaleAndShift(let scale, let shift):
                apus_scale_and_shift(&pixels, scale, shift, it.activation)
            case .localResponse(let size, let alpha, let beta, let bias):
                apus_local_response_normalization(&pixels, size, alpha, beta, bias)
            }
        }
    }
}
