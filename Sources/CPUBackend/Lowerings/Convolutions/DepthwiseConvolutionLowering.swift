import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution with one filter per channel.
struct DepthwiseConvolutionLowering: Lowering {
    let name = "depthwise"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        guard convolution.isDepthwise else { return .decline("not one filter per channel") }
        guard let kernel = apus_depthwise_kernel_for(InstructionSet.chosen.cValue)?.pointee else {
            return .decline("no kernel for \(InstructionSet.chosen)")
        }
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: 25_000, threads: request.threadCount)
        let makeStep = { @Sendable (operands: StepOperands) in
            // [C, 1, kh, kw] → [kh · kw][C]
            let weights = try operands.packedWeights.tensor(convolution.weights, packing: "depthwise") {
                try $0.transposed([2, 3, 1, 0]).contiguous()
            }
            let from = ImageView(try operands.input(0))
            return DepthwiseConvolutionStep(
                convolve: kernel.convolve, input: try operands.input(0), output: operands.outputs[0],
                weights: weights,
                bias: try convolution.contiguousBias(), from: from, to: ImageView(operands.outputs[0]),
                addend: try ConvolutionAddend(operands), window: apus_window(convolution.geometry, over: from),
                rows: RowWindow(convolution.geometry), activation: apus_activation(convolution.operation.activation))
        }
        let rowStage = RowStage(
            RowWindow(convolution.geometry), weightsByteCount: convolution.weights.byteCount, makeStep: makeStep)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast],
                rowStage: rowStage, makeStep: makeStep))
    }
}

private struct DepthwiseConvolutionStep: Step {
    private struct Arguments: BitwiseCopyable {
        let convolve: @convention(c) (UnsafePointer<apus_depthwise_block>) -> Void
        /// The block that is the whole first image.
        let image: apus_depthwise_block
        let inputStride: Int
        let outputStride: Int
        let addendStride: Int
        let tiling: ChannelTiling
    }

    let convolve: @convention(c) (UnsafePointer<apus_depthwise_block>) -> Void
    let input: Operand
    let output: Operand
    let weights: Tensor
    let bias: Tensor?
    let from: ImageView
    let to: ImageView
    let addend: ConvolutionAddend
    let window: apus_window
    let rows: RowWindow
    let activation: apus_activation

    func run(_ context: StepContext) {
        let addend = addend.pixels(context)
        let image = apus_depthwise_block(
            window: window, input: context.floats(input), channel_count: to.channels, weights: weights.floats,
            tap_stride: to.channels, bias: bias?.floats, addend: addend.start,
            addend_row_stride: addend.pixelStride * to.width, addend_pixel_stride: addend.pixelStride,
            activation: activation, first_row: 0, last_row: to.height, output: context.mutableFloats(output),
            output_row_stride: to.rowStride, output_pixel_stride: to.pixelStride)
        let tiling = ChannelTiling(rowCount: to.height, channelCount: to.channels)
        let arguments = Arguments(
            convolve: convolve, image: image, inputStride: from.imageStride, outputStride: to.imageStride,
            addendStride: addend.imageStride, tiling: tiling)
        context.workers.run(to.count * tiling.tileCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let image = index / it.tiling.tileCount
            let tile = it.tiling.tile(index % it.tiling.tileCount)
            var block = it.image
            block.input += image * it.inputStride + tile.channels.lowerBound
            block.output += image * it.outputStride + tile.channels.lowerBound
            block.weights += tile.channels.lowerBound
            if let addend = block.addend {
                block.addend = addend + image * it.addendStride + tile.channels.lowerBound
            }
            if let bias = block.bias { block.bias = bias + tile.channels.lowerBound }
            block.channel_count = tile.channels.count
            block.first_row = tile.rows.lowerBound
            block.last_row = tile.rows.upperBound
            it.convolve(&block)
        }
    }
}

extension DepthwiseConvolutionStep: RowStep {
    func run(_ strip: Strip, _ context: StepContext) {
        let addend = addend.pixels(context)
        var block = apus_depthwise_block(
            window: window.over(strip, rows), input: strip.inputFloats, channel_count: to.channels,
            weights: weights.floats, tap_stride: to.channels, bias: bias?.floats,
            addend: addend.address(image: strip.image, pixel: strip.rows.lowerBound * to.width),
            addend_row_stride: addend.pixelStride * to.width, addend_pixel_stride: addend.pixelStride,
            activation: activation, first_row: 0, last_row: strip.rows.count, output: strip.outputFloats,
            output_row_stride: to.rowStride, output_pixel_stride: to.pixelStride)
        convolve(&block)
    }
}
