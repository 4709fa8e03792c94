import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution with one filter per channel, row by row.
struct DepthwiseConvolutionLowering: Lowering {
    let name = "depthwise-rows"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: ConvolutionRequest
        do { convolution = try ConvolutionRequest(request) } catch { return .decline(error.reason) }
        guard convolution.isDepthwise else { return .decline("not one filter per channel") }
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: 8_000, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast]
            ) { operands in
                // [C, 1, kh, kw] → [kh · kw][C]
                let weights = try operands.packedWeights.tensor(convolution.weights, packing: "depthwise") {
                    try $0.transposed([2, 3, 1, 0]).contiguous()
                }
                let from = ImageView(try operands.input(0))
                return DepthwiseConvolutionStep(
                    input: try operands.input(0), output: operands.outputs[0], weights: weights,
                    bias: try convolution.contiguousBias(), addend: ConvolutionAddend(operands), from: from,
                    to: ImageView(operands.outputs[0]),
                    window: apus_window(convolution.geometry, over: from),
                    activation: apus_activation(convolution.operation.activation))
            })
    }
}

private struct DepthwiseConvolutionStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>?
        let addend: ConvolutionAddend.Pixels
        let from: ImageView
        let to: ImageView
        var window: apus_window
        let activation: apus_activation
    }

    let input: Operand
    let output: Operand
    let weights: Tensor
    let bias: Tensor?
    let addend: ConvolutionAddend
    let from: ImageView
    let to: ImageView
    let window: apus_window
    let activation: apus_activation

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), weights: weights.floats,
            bias: bias?.floats, addend: addend.pixels(context), from: from, to: to, window: window,
            activation: activation)
        context.workers.run(to.count * to.height, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let (image, row) = index.quotientAndRemainder(dividingBy: it.to.height)
            apus_depthwise_row(
                it.input + image * it.from.imageStride, &it.window, it.to.channels, it.weights, it.bias,
                it.addend.address(image: image, pixel: row * it.to.width), it.addend.pixelStride, it.activation, row,
                it.output + image * it.to.imageStride + row * it.to.rowStride, it.to.pixelStride)
        }
    }
}
