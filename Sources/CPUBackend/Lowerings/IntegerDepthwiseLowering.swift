import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers with one filter per channel.
struct IntegerDepthwiseLowering: Lowering {
    let name = "integer-depthwise"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: IntegerConvolutionRequest
        do { convolution = try IntegerConvolutionRequest(request) } catch { return .decline(error.reason) }
        guard convolution.isDepthwise else { return .decline("not one filter per channel") }
        let kernel = IntegerKernel(instructionSet, multipliesBytes: true)
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    request.cost, multiplyAddsPerMicrosecond: 15_000, threads: request.threadCount),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast]
            ) { operands in try IntegerDepthwiseStep(convolution, kernel, operands) })
    }
}

private struct IntegerDepthwiseStep: Step {
    private struct Arguments: BitwiseCopyable {
        /// The whole of the first image.
        let image: apus_integer_depthwise
        let inputStride: Int
        let outputStride: Int
        let tiling: ChannelTiling
        let convolve: @convention(c) (UnsafePointer<apus_integer_depthwise>) -> Void
    }

    private let input: Operand
    private let output: Operand
    private let weights: Tensor
    private let bias: Tensor
    private let requantization: IntegerRequantization
    private let convolution: IntegerConvolutionRequest
    private let kernel: IntegerKernel
    private let paddedChannels: Int

    init(_ convolution: IntegerConvolutionRequest, _ kernel: IntegerKernel, _ operands: StepOperands) throws {
        let operation = convolution.operation
        let channels = convolution.weights.shape[0]
        let padded = kernel.paddedColumns(channels)
        input = try operands.input(0)
        output = operands.outputs[0]
        let point = operation.weightZeroPoint
        // [C, 1, kh, kw] → [kh · kw][padded C], in the lower halves of words.
        weights = try operands.packedWeights.tensor(
            convolution.weights, packing: "integer/depthwise of \(padded)/less \(point)"
        ) { original in
            let taps = original.shape[2] * original.shape[3]
            let values = original.elements(as: Int32.self)
            var words = [Int32](repeating: 0, count: taps * padded)
            for channel in 0..<channels {
                for tap in 0..<taps {
                    words[tap * padded + channel] = (values[channel * taps + tap] &- point) & 0xFFFF
                }
            }
            return try Tensor(words, shape: [taps, padded])
        }
        var values = [Int32](repeating: 0, count: padded)
        if let bias = convolution.bias { values.replaceSubrange(0..<channels, with: bias.elements(as: Int32.self)) }
        bias = try Tensor(values, shape: [padded])
        requantization = try IntegerRequantization(operation.requantization, columns: channels, paddedTo: padded)
        self.convolution = convolution
        self.kernel = kernel
        paddedChannels = padded
    }

    func run(_ context: StepContext) {
        let (from, to) = (ImageView(input), ImageView(output))
        let image = apus_integer_depthwise(
            window: apus_window(convolution.geometry, over: from), input: context.bytes(input),
            channel_count: to.channels, is_signed: input.elementType == .int8 ? 1 : 0,
            zero_point: convolution.operation.inputZeroPoint,
            weights: weights.firstElement.assumingMemoryBound(to: Int32.self), tap_stride: paddedChannels,
            bias: bias.firstElement.assumingMemoryBound(to: Int32.self), requantization: requantization.cValue,
            first_row: 0, last_row: to.height, output: context.mutableBytes(output),
            output_row_stride: to.rowStride, output_pixel_stride: to.pixelStride)
        let tiling = ChannelTiling(rowCount: to.height, channelCount: to.channels)
        let arguments = Arguments(
            image: image, inputStride: from.imageStride, outputStride: to.imageStride, tiling: tiling,
            convolve: kernel.kernel.convolve_depthwise)
        context.workers.run(to.count * tiling.tileCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (number, part) = index.quotientAndRemainder(dividingBy: it.tiling.tileCount)
            let tile = it.tiling.tile(part)
            let channel = tile.channels.lowerBound
            var block = it.image
            block.input += number * it.inputStride + channel
            block.output += number * it.outputStride + channel
            block.weights += channel
            block.bias += channel
            block.requantization = it.image.requantization.from(channel)
            block.channel_count = tile.channels.count
            block.first_row = tile.rows.lowerBound
            block.last_row = tile.rows.upperBound
            it.convolve(&block)
        }
    }
}
