import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution with one filter per channel.
struct DepthwiseConvolutionLowering: Lowering {
    let name = "depthwise"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        guard convolution.isDepthwise else { return .decline("not one filter per channel") }
        guard let kernel = apus_depthwise_kernel_for(InstructionSet.chosen.cValue)?.pointee else {
            return .decline("no kernel for \(InstructionSet.chosen)")
        }
        let ofBFloat16 = apus_depthwise_of_bfloat16_for(InstructionSet.chosen.cValue)?.pointee
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: 25_000, threads: request.threadCount)
        let makeStep = { @Sendable (operands: StepOperands) in
            // [C, 1, kh, kw] → [kh · kw][C]
            let weights = try operands.packedWeights.tensor(convolution.weights, packing: "depthwise") {
                try $0.transposed([2, 3, 1, 0]).contiguous()
            }
            let input = try operands.input(0)
            let from = ImageView(input)
            let used = input.elementType == .bfloat16 ? ofBFloat16 ?? kernel : kernel
            return DepthwiseConvolutionStep(
                convolve: used.convolve, input: input, output: operands.outputs[0],
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
                bfloat16Operands: ofBFloat16 == nil ? nil : .alike([0]), rowStage: rowStage, makeStep: makeStep))
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
        let elementByteCount: Int
        let tiling: ChannelPartition
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
        let tiling = ChannelPartition(rowCount: to.height, channelCount: to.channels)
        let arguments = Arguments(
            convolve: convolve, image: image, inputStride: from.imageStride, outputStride: to.imageStride,
            addendStride: addend.imageStride, elementByteCount: input.elementType.byteCount, tiling: tiling)
        context.workers.run(to.count * tiling.tileCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let image = index / it.tiling.tileCount
            let tile = it.tiling.tile(index % it.tiling.tileCount)
            var block = it.image
            let (start, byteCount) = (tile.channels.lowerBound, it.elementByteCount)
            block.input = (UnsafeRawPointer(block.input) + (image * it.inputStride + start) * byteCount)
                .assumingMemoryBound(to: Float.self)
            block.output = (UnsafeMutableRawPointer(block.output) + (image * it.outputStride + start) * byteCount)
                .assumingMemoryBound(to: Float.self)
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
