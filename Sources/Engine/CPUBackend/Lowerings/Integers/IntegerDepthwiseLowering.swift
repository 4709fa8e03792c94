import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers with one filter per channel.
struct IntegerDepthwiseLowering: Lowering {
    let name = "integer-depthwise"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: IntegerConvolutionRequest
        do { convolution = try request.specialized() } catch { return error.answer }
        guard convolution.isDepthwise else { return .decline("not one filter per channel") }
        let window = convolution.geometry
        let span = window.output[1].addingReportingOverflow((window.kernel[1] - 1) * window.dilations[1])
        guard !span.overflow,
            [span.partialValue, convolution.output.shape[1], window.kernel[0] + 1].saturatingProduct <= 1 << 30
        else { return .decline("rows do not fit in scratch memory") }
        let kernel = IntegerKernel(
            instructionSet,
            multipliesBytes: IntegerKernel.fitsBytes(
                convolution.weights.elementType, zeroPoint: convolution.operation.weightZeroPoint))
        let tiling = IntegerDepthwiseTiling(
            rowCount: convolution.output.shape[2], channelCount: convolution.output.shape[1],
            block: kernel.kernel.block)
        var rows = apus_window(window, shape: convolution.input.shape)
        let scratchByteCount = (kernel.kernel.depthwise_scratch(&rows, tiling.maximumChannels) + 63) / 64 * 64
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    request.cost, multiplyAddsPerMicrosecond: kernel.kernel.group == 4 ? 40_000 : 12_000,
                    threads: request.threadCount),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                scratchByteCount: scratchByteCount * request.threadCount
            ) { operands in
                try IntegerDepthwiseStep(convolution, kernel, tiling, scratchByteCount: scratchByteCount, operands)
            })
    }
}

/// The division of one image into pieces of rows and, where there are few rows, of whole blocks of channels.
private struct IntegerDepthwiseTiling: BitwiseCopyable {
    private let rowCount: Int
    private let channelCount: Int
    private let rowParts: Int
    let channelParts: Int
    private let block: Int

    private static let maximumRowParts = 8

    init(rowCount: Int, channelCount: Int, block: Int) {
        self.rowCount = rowCount
        self.channelCount = channelCount
        self.block = block
        // Every part also reads the rows around it.
        rowParts = min(Self.maximumRowParts, max(1, rowCount / 3))
        channelParts = max(1, min(channelCount / block, Self.maximumRowParts / rowParts))
    }

    var pieceCount: Int { rowParts * channelParts }
    var maximumChannels: Int { (0..<channelParts).map { channels($0).count }.max() ?? channelCount }

    func rows(_ index: Int) -> Range<Int> {
        let part = index / channelParts
        return rowCount * part / rowParts..<rowCount * (part + 1) / rowParts
    }

    func channels(_ index: Int) -> Range<Int> {
        let (blocks, part) = ((channelCount + block - 1) / block, index % channelParts)
        return blocks * part / channelParts
            * block..<min(
                channelCount, blocks * (part + 1) / channelParts * block)
    }
}

private struct IntegerDepthwiseStep: Step {
    private struct Arguments: BitwiseCopyable {
        /// The parameters of the whole first image.
        let image: apus_integer_depthwise
        let inputStride: Int
        let outputStride: Int
        let wordCount: Int
        let scratchByteCount: Int
        let tiling: IntegerDepthwiseTiling
        let convolve: @convention(c) (UnsafePointer<apus_integer_depthwise>) -> Void
    }

    private let input: Operand
    private let output: Operand
    private let scratch: Operand
    private let filters: IntegerFilters
    private let convolution: IntegerConvolutionRequest
    private let kernel: IntegerKernel
    private let tiling: IntegerDepthwiseTiling
    private let scratchByteCount: Int

    init(
        _ convolution: IntegerConvolutionRequest, _ kernel: IntegerKernel, _ tiling: IntegerDepthwiseTiling,
        scratchByteCount: Int, _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        output = operands.outputs[0]
        scratch = operands.scratch
        let isDense = ImageView(output).pixelStride == output.shape[1]
        filters = try IntegerFilters(
            convolution, kernel, mayJoinPixels: isDense && tiling.channelParts == 1, operands.packedWeights)
        self.convolution = convolution
        self.kernel = kernel
        self.tiling = tiling
        self.scratchByteCount = scratchByteCount
    }

    func run(_ context: StepContext) {
        let (from, to) = (ImageView(input), ImageView(output))
        let image = apus_integer_depthwise(
            window: apus_window(convolution.geometry, over: from), input: context.bytes(input),
            channel_count: to.channels, is_flat: filters.joinsPixels ? 1 : 0,
            is_signed: input.elementType == .int8 ? 1 : 0, zero_point: convolution.operation.inputZeroPoint,
            weights: filters.weights.firstElement.assumingMemoryBound(to: Int32.self),
            bias: filters.bias.firstElement.assumingMemoryBound(to: Int32.self),
            requantization: filters.requantization.cValue, period: filters.period, first_row: 0,
            last_row: to.height, output: context.mutableBytes(output), output_row_stride: to.rowStride,
            output_pixel_stride: to.pixelStride, scratch: context.memory.mutableAddress(scratch))
        let arguments = Arguments(
            image: image, inputStride: from.imageStride, outputStride: to.imageStride,
            wordCount: filters.wordCount, scratchByteCount: scratchByteCount, tiling: tiling,
            convolve: kernel.kernel.convolve_depthwise)
        context.workers.run(to.count * tiling.pieceCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let (number, piece) = index.quotientAndRemainder(dividingBy: it.tiling.pieceCount)
            let (rows, channels) = (it.tiling.rows(piece), it.tiling.channels(piece))
            let channel = channels.lowerBound
            var part = it.image
            part.input += number * it.inputStride + channel
            part.output += number * it.outputStride + channel
            part.weights += channel * it.wordCount
            part.bias += channel
            part.requantization = it.image.requantization.from(channel)
            part.scratch += worker * it.scratchByteCount
            if it.tiling.channelParts > 1 {
                part.channel_count = channels.count
                part.period = it.image.period - channel
            }
            part.first_row = rows.lowerBound
            part.last_row = rows.upperBound
            it.convolve(&part)
        }
    }
}
