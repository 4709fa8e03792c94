import CPUKernels
import Graphs
import Planning
import Tensors

/// The division of the rows of a convolution of few channels into pieces, and the memory that one piece needs.
struct InterleavedPartition: BitwiseCopyable {
    /// The rows of the input that given rows of the output need; pieces consist of whole groups.
    let rows: RowWindow
    let rowsPerPiece: Int
    let pieceCount: Int
    /// Pixels per row of a copy.
    let copiedWidth: Int
    let copyByteCount: Int
    /// The elements of a pixel of a copy: its channels, and zeros behind them where words hold two.
    let pixelLength: Int
    /// The bytes of a piece's results as floats, where they are rounded afterwards.
    let floatByteCount: Int
    let scratchByteCount: Int

    /// The maximum bytes of a copy and of its output together, so that both stay in the cache.
    private static let capacity = 256 * 1024

    /// - Parameters:
    ///   - pixelLength: The elements of a pixel of a copy.
    ///   - hasFloats: Whether results may be floats that are rounded afterwards.
    ///   - productByteCount: The bytes of scratch memory for convolving a copy with a given number of rows.
    init(
        _ convolution: ConvolutionRequest, _ rows: RowWindow, copiedWidth: Int, pixelLength: Int, hasFloats: Bool,
        threads: Int,
        productByteCount: (_ rowsPerPiece: Int) -> Int
    ) {
        let geometry = convolution.geometry
        let (height, width) = (geometry.output[0], geometry.output[1])
        self.rows = rows
        self.pixelLength = pixelLength
        self.copiedWidth = copiedWidth
        let rowByteCount =
            4 * (copiedWidth * pixelLength * geometry.strides[0] + width * convolution.output.shape[1])
        let wanted = max(1, min(height / 2, 8 * threads))
        let fitting = max(1, min((height + wanted - 1) / wanted, Self.capacity / max(rowByteCount, 1)))
        rowsPerPiece = (fitting + rows.rowsPerGroup - 1) / rows.rowsPerGroup * rows.rowsPerGroup
        pieceCount = (height + rowsPerPiece - 1) / rowsPerPiece
        let copiedRows = rows.coveredRows(by: rowsPerPiece)
        copyByteCount = Self.aligned(copiedRows * copiedWidth * pixelLength * MemoryLayout<Float>.stride)
        let results = rowsPerPiece * width * convolution.output.shape[1] * MemoryLayout<Float>.stride
        floatByteCount = hasFloats ? Self.aligned(results) : 0
        scratchByteCount = copyByteCount + floatByteCount + Self.aligned(productByteCount(rowsPerPiece))
    }

    /// The rows of a copy for `outputRows` rows of output, rounded up to whole groups.
    func copiedRows(for outputRows: Int) -> Int {
        let groups = (outputRows + rows.rowsPerGroup - 1) / rows.rowsPerGroup
        return rows.coveredRows(by: groups * rows.rowsPerGroup)
    }

    private static func aligned(_ byteCount: Int) -> Int { (byteCount + 63) / 64 * 64 }
}

extension ImageView {
    /// The results of a convolution of few channels: dense where they are floats that are rounded afterwards.
    static func ofFloatResults(_ output: Operand) -> ImageView {
        guard output.isBFloat16 else { return ImageView(output) }
        var dense = output
        dense.strides = Layout.channelsLast.strides(output.shape)
        return ImageView(dense)
    }
}

/// The way in which a copy is convolved.
enum InterleavedProduct: BitwiseCopyable {
    case gemm(InterleavedGEMM)
    case winograd(InterleavedWinograd)

    /// Whether results are floats, whatever the output is stored as.
    var givesFloats: Bool { if case .gemm(let product) = self { product.givesFloats } else { true } }
}

/// A copy of input rows in a worker's memory, and the arguments for convolving it.
struct InterleavedPiece {
    let copy: UnsafeMutablePointer<Float>
    /// Scratch memory apart from the copy.
    let scratch: UnsafeMutableRawPointer
    /// The number of output rows.
    let rowCount: Int
    let weights: UnsafePointer<Float>
    let bias: UnsafePointer<Float>
    let addend: UnsafePointer<Float>?
    /// Memory for the results as floats, where the tiling has such.
    let floats: UnsafeMutablePointer<Float>
    let output: UnsafeMutableRawPointer
}

/// The source of the image rows that a piece needs.
struct InterleavedSource {
    let input: UnsafePointer<Float>
    /// The first row needed; it may lie outside the image.
    let firstRow: Int
    let rowCount: Int
    /// The width of the copy.
    let width: Int
    /// The elements of a pixel of the copy.
    let pixelLength: Int
    let window: apus_window
    let channels: Int
    /// Elements between the channels of a pixel.
    let channelStride: Int

    /// Copies `rowCount` rows, beginning with row `row` after `firstRow`, to `rows[row][x][channel]`.
    func copy(_ rowCount: Int, from row: Int, to rows: UnsafeMutablePointer<Float>) {
        withUnsafePointer(to: window) {
            apus_interleave_rows(input, $0, channels, channelStride, firstRow + row, rowCount, width, pixelLength, rows)
        }
    }
}

/// A convolution of few channels, such as a network's first, that reads planes or pixels as the caller provides them.
///
/// The input rows for some output rows are copied with their padding, with a pixel's channels adjacent, and convolved
/// from the copy.
struct InterleavedConvolutionStep: Step {
    fileprivate struct Arguments: BitwiseCopyable {
        var input: UnsafePointer<Float>
        var output: UnsafeMutableRawPointer
        let addend: ConvolutionAddend.Pixels
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>
        var scratch: UnsafeMutableRawPointer
        var shape: Shape
    }

    /// The parameters that are the same in every run.
    fileprivate struct Shape: BitwiseCopyable {
        let tiling: InterleavedPartition
        let product: InterleavedProduct
        let from: ImageView
        let to: ImageView
        /// The window over the input.
        var window: apus_window
        /// Elements between the channels of a pixel.
        let channelStride: Int
        let elementByteCount: Int
        /// Rounds floats to the output's bfloat16; nil where the product writes the output.
        let rounding: RowRounding?
    }

    private let input: Operand
    private let output: Operand
    private let addend: ConvolutionAddend
    private let scratch: Operand
    private let weights: Tensor
    private let bias: Tensor
    private let shape: Shape

    init(
        _ convolution: ConvolutionRequest, _ tiling: InterleavedPartition, _ product: InterleavedProduct,
        isPlanar: Bool,
        weights: Tensor, bias: Tensor, _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        output = operands.outputs[0]
        addend = try ConvolutionAddend(operands)
        scratch = operands.scratch
        self.weights = weights
        self.bias = bias
        let from = isPlanar ? ImageView(planes: input) : ImageView(input)
        let to = ImageView(output)
        var window = apus_window(convolution.geometry, over: from)
        // The image has as many rows as the strips provide.
        window.input_height = tiling.rows.inputRows(for: 0..<to.height).upperBound
        shape = Shape(
            tiling: tiling, product: product, from: from, to: to, window: window,
            channelStride: isPlanar ? from.pixelCount : 1,
            elementByteCount: output.elementType.byteCount,
            rounding: output.isBFloat16 && product.givesFloats ? GEMMKernel(bfloat16: .chosen)?.roundRows : nil)
    }

    private func arguments(
        _ context: StepContext, _ input: UnsafePointer<Float>, _ output: UnsafeMutableRawPointer,
        scratch: UnsafeMutableRawPointer
    ) -> Arguments {
        Arguments(
            input: input, output: output, addend: addend.pixels(context), weights: weights.floats, bias: bias.floats,
            scratch: scratch, shape: shape)
    }

    func run(_ context: StepContext) {
        let arguments = arguments(
            context, context.floats(input), context.memory.mutableAddress(output),
            scratch: context.memory.mutableAddress(scratch))
        context.workers.run(shape.to.count * shape.tiling.pieceCount, arguments) { context, index, worker in
            var it = context.load(as: Arguments.self)
            let tiling = it.shape.tiling
            let (image, piece) = index.quotientAndRemainder(dividingBy: tiling.pieceCount)
            let first = piece * tiling.rowsPerPiece
            let pixel = first * it.shape.to.width
            it.input += image * it.shape.from.imageStride
            it.output += image * it.shape.to.imageStride * it.shape.elementByteCount
            it.scratch += worker * tiling.scratchByteCount
            it.convolve(
                first..<min(first + tiling.rowsPerPiece, it.shape.to.height),
                addend: it.addend.address(image: image, pixel: pixel))
        }
    }
}

extension InterleavedConvolutionStep: RowStep {
    func run(_ strip: Strip, _ context: StepContext) {
        var it = arguments(context, strip.inputFloats, strip.output, scratch: strip.scratch)
        let tiling = it.shape.tiling
        it.shape.window = it.shape.window.over(strip, tiling.rows)
        for first in stride(from: 0, to: strip.rows.count, by: tiling.rowsPerPiece) {
            let pixel = (strip.rows.lowerBound + first) * it.shape.to.width
            it.convolve(
                first..<min(first + tiling.rowsPerPiece, strip.rows.count),
                addend: it.addend.address(image: strip.image, pixel: pixel))
        }
    }
}

extension InterleavedConvolutionStep.Arguments {
    /// Convolves at most a piece's rows, from the image that begins at `input` to the one that begins at `output`.
    fileprivate func convolve(_ rows: Range<Int>, addend: UnsafePointer<Float>?) {
        let (tiling, to) = (shape.tiling, shape.to)
        let target = output + rows.lowerBound * to.width * to.pixelStride * shape.elementByteCount
        let floats = (scratch + tiling.copyByteCount).assumingMemoryBound(to: Float.self)
        let piece = InterleavedPiece(
            copy: scratch.assumingMemoryBound(to: Float.self),
            scratch: scratch + tiling.copyByteCount + tiling.floatByteCount,
            rowCount: rows.count, weights: weights, bias: bias, addend: addend, floats: floats,
            output: shape.rounding == nil ? target : UnsafeMutableRawPointer(floats))
        let source = InterleavedSource(
            input: input, firstRow: rows.lowerBound * shape.window.stride_height - shape.window.padding_top,
            rowCount: tiling.copiedRows(for: rows.count), width: tiling.copiedWidth, pixelLength: tiling.pixelLength,
            window: shape.window,
            channels: shape.from.channels, channelStride: shape.channelStride)
        switch shape.product {
        case .gemm(let product): product.convolve(piece, source)
        case .winograd(let product): product.convolve(piece, source)
        }
        if let rounding = shape.rounding {
            round(floats, pixelCount: rows.count * to.width, to: target, rounding)
        }
    }

    /// Rounds dense pixels to those of the output.
    private func round(
        _ pixels: UnsafePointer<Float>, pixelCount: Int, to target: UnsafeMutableRawPointer, _ rounding: RowRounding
    ) {
        let (channels, stride) = (shape.to.channels, shape.to.pixelStride)
        let isDense = stride == channels
        for pixel in 0..<(isDense ? 1 : pixelCount) {
            let words = target + pixel * stride * MemoryLayout<UInt16>.stride
            rounding(
                pixels + pixel * channels, isDense ? pixelCount : 1, channels, channels,
                words.assumingMemoryBound(to: Float.self))
        }
    }
}
