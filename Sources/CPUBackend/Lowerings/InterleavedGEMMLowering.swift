import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution of few channels, such as a network's first, read from planes or pixels as the caller gives them.
///
/// The rows that some output rows need are copied with their padding, channels side by side, so that a row of the
/// kernel is one run of elements and no window leaves the copy.
struct InterleavedGEMMLowering: Lowering {
    let name = "interleaved-gemm"
    let kernel: GEMMKernel

    /// More channels fill a run of elements by themselves.
    private static let mostChannels = 4

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: ConvolutionRequest
        do { convolution = try ConvolutionRequest(request) } catch { return .decline(error.reason) }
        let channels = convolution.input.shape[1]
        guard channels <= Self.mostChannels, convolution.operation.group == 1 else {
            return .decline("more than \(Self.mostChannels) channels")
        }
        guard convolution.geometry.kernel[1] > 1 else { return .decline("the kernel is 1 wide") }
        guard convolution.geometry.dilations[1] == 1 else { return .decline("the kernel is dilated in width") }
        let tiling = InterleavedTiling(convolution, kernel, threads: request.threadCount)
        let layout: Layout = request.inputLayouts[0] == .rowMajor ? .rowMajor : .channelsLast
        let makeStep = { @Sendable (operands: StepOperands) in
            let weights = try kernel.pack(convolution.weights, "gemm/1", in: operands.packedWeights) {
                try ConvolutionRequest.productWeights($0, group: 1)
            }
            return try InterleavedGEMMStep(
                convolution, tiling, kernel, isPlanar: layout == .rowMajor, weights: weights, operands)
        }
        var candidate = Candidate(
            microseconds: Speed.microseconds(convolution, request, kernel, efficiency: 0.7),
            inputLayouts: convolution.inputLayouts(image: layout), outputLayouts: [.channelsLast],
            readsSlices: layout == .channelsLast,
            scratchByteCount: tiling.scratchByteCount * request.threadCount, makeStep: makeStep)
        candidate.rowStage = RowStage(
            RowWindow(convolution.geometry), scratchByteCount: tiling.scratchByteCount,
            weightsByteCount: convolution.weights.byteCount, makeStep: makeStep)
        return .accept(candidate)
    }
}

/// How the output's rows are cut into pieces, and the memory that one piece needs.
private struct InterleavedTiling: BitwiseCopyable {
    let rowsPerPiece: Int
    let pieceCount: Int
    /// Rows at most and pixels of a copy.
    let copiedRows: Int
    let copiedWidth: Int
    let copyByteCount: Int
    let scratchByteCount: Int

    /// Bytes of a copy and of the output it gives, so that both stay in the cache.
    private static let capacity = 256 * 1024

    init(_ convolution: ConvolutionRequest, _ kernel: GEMMKernel, threads: Int) {
        let geometry = convolution.geometry
        let (height, width) = (geometry.output[0], geometry.output[1])
        let channels = convolution.input.shape[1]
        copiedWidth = (width - 1) * geometry.strides[1] + geometry.kernel[1]
        let rowByteCount =
            4 * (copiedWidth * channels * geometry.strides[0] + width * convolution.output.shape[1])
        let wanted = max(1, min(height / 2, 8 * threads))
        rowsPerPiece = max(1, min((height + wanted - 1) / wanted, Self.capacity / max(rowByteCount, 1)))
        pieceCount = (height + rowsPerPiece - 1) / rowsPerPiece
        copiedRows = RowWindow(geometry).coveredRows(by: rowsPerPiece)
        copyByteCount = (copiedRows * copiedWidth * channels * 4 + 63) / 64 * 64
        let addresses = rowsPerPiece * width * geometry.kernel[0] * MemoryLayout<UnsafePointer<Float>>.stride
        scratchByteCount = (copyByteCount + addresses + 63) / 64 * 64
    }
}

private struct InterleavedGEMMStep: Step {
    fileprivate struct Arguments: BitwiseCopyable {
        var input: UnsafePointer<Float>
        var output: UnsafeMutablePointer<Float>
        let addend: ConvolutionAddend.Pixels
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>
        var scratch: UnsafeMutableRawPointer
        var shape: Shape
    }

    /// Everything that does not change from run to run.
    fileprivate struct Shape: BitwiseCopyable {
        let tiling: InterleavedTiling
        let kernel: GEMMKernel
        let activation: apus_activation
        let from: ImageView
        let to: ImageView
        let rows: RowWindow
        /// Over the input.
        var window: apus_window
        /// Elements between the channels of a pixel.
        let channelStride: Int
        /// Over a copy.
        var patches: apus_patches
    }

    private let input: Operand
    private let output: Operand
    private let addend: ConvolutionAddend
    private let scratch: Operand
    private let weights: Tensor
    private let bias: Tensor
    private let shape: Shape

    init(
        _ convolution: ConvolutionRequest, _ tiling: InterleavedTiling, _ kernel: GEMMKernel, isPlanar: Bool,
        weights: Tensor, _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        output = operands.outputs[0]
        addend = try ConvolutionAddend(operands)
        scratch = operands.scratch
        self.weights = weights
        let from = isPlanar ? ImageView(planes: input) : ImageView(input)
        let to = ImageView(output)
        bias = try kernel.pack(bias: convolution.bias, groups: 1, columns: to.channels)
        let window = apus_window(convolution.geometry, over: from)
        var copy = window
        (copy.padding_top, copy.padding_left) = (0, 0)
        (copy.input_height, copy.input_width) = (tiling.copiedRows, tiling.copiedWidth)
        copy.input_pixel_stride = from.channels
        copy.input_row_stride = tiling.copiedWidth * from.channels
        shape = Shape(
            tiling: tiling, kernel: kernel, activation: apus_activation(convolution.operation.activation), from: from,
            to: to, rows: RowWindow(convolution.geometry), window: window,
            channelStride: isPlanar ? from.pixelCount : 1,
            patches: apus_patches(
                window: copy, image_stride: 0, image_pixel_count: tiling.rowsPerPiece * to.width,
                order: APUS_PATCH_KERNEL_ROWS))
    }

    private func arguments(
        _ context: StepContext, _ input: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>,
        scratch: UnsafeMutableRawPointer
    ) -> Arguments {
        Arguments(
            input: input, output: output, addend: addend.pixels(context), weights: weights.floats, bias: bias.floats,
            scratch: scratch, shape: shape)
    }

    func run(_ context: StepContext) {
        let arguments = arguments(
            context, context.floats(input), context.mutableFloats(output),
            scratch: context.memory.mutableAddress(scratch))
        context.workers.run(shape.to.count * shape.tiling.pieceCount, arguments) { context, index, worker in
            var it = context.load(as: Arguments.self)
            let tiling = it.shape.tiling
            let (image, piece) = index.quotientAndRemainder(dividingBy: tiling.pieceCount)
            let first = piece * tiling.rowsPerPiece
            let pixel = first * it.shape.to.width
            it.input += image * it.shape.from.imageStride
            it.output += image * it.shape.to.imageStride
            it.scratch += worker * tiling.scratchByteCount
            it.convolve(
                first..<min(first + tiling.rowsPerPiece, it.shape.to.height),
                addend: it.addend.address(image: image, pixel: pixel))
        }
    }
}

extension InterleavedGEMMStep: RowStep {
    func run(_ strip: Strip, _ context: StepContext) {
        var it = arguments(context, strip.inputFloats, strip.outputFloats, scratch: strip.scratch)
        it.shape.window = it.shape.window.over(strip, it.shape.rows)
        for first in stride(from: 0, to: strip.rows.count, by: it.shape.tiling.rowsPerPiece) {
            let pixel = (strip.rows.lowerBound + first) * it.shape.to.width
            it.convolve(
                first..<min(first + it.shape.tiling.rowsPerPiece, strip.rows.count),
                addend: it.addend.address(image: strip.image, pixel: pixel))
        }
    }
}

extension InterleavedGEMMStep.Arguments {
    /// At most a piece's rows of the image that begins at `input`, into the one that begins at `output`.
    fileprivate mutating func convolve(_ rows: Range<Int>, addend: UnsafePointer<Float>?) {
        let tiling = shape.tiling
        let pixelCount = rows.count * shape.to.width
        let copy = scratch.assumingMemoryBound(to: Float.self)
        apus_interleave_rows(
            input, &shape.window, shape.from.channels, shape.channelStride,
            rows.lowerBound * shape.window.stride_height - shape.window.padding_top,
            shape.rows.coveredRows(by: rows.count), tiling.copiedWidth, copy)
        let addresses = (scratch + tiling.copyByteCount).assumingMemoryBound(to: UnsafePointer<Float>.self)
        apus_find_patches(&shape.patches, copy, copy, 0, pixelCount, shape.kernel.tileRows, addresses)
        var block = apus_gemm_block(
            rows: addresses, row_count: pixelCount, segment_count: shape.window.kernel_height,
            segment_length: shape.window.kernel_width * shape.from.channels, weights: weights, bias: bias,
            column_count: shape.to.channels, output: output + rows.lowerBound * shape.to.width * shape.to.pixelStride,
            output_stride: shape.to.pixelStride, addend: addend, addend_stride: self.addend.pixelStride,
            activation: shape.activation)
        shape.kernel.multiply(&block)
    }
}
