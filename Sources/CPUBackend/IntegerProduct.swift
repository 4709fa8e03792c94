import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution of 8-bit integers as a product of patches with packed weights, cut into pieces.
struct IntegerProduct: Sendable {
    let kernel: IntegerKernel
    let geometry: SpatialWindow.Geometry
    let inputShape: [Int]
    /// Runs of adjacent taps, each of which fills whole words.
    let runCount: Int
    let tiling: ProductTiling
    let threadCount: Int
    /// Memory of one thread.
    private let threadByteCount: Int
    private let panelByteStride: Int

    /// Input that stays in the first caches while all panels pass.
    private static let usualByteCount = 96 << 10
    private static let mostElements = 1 << 30

    /// - Parameters:
    ///   - inputShape: `[N, C, H, W]`.
    ///   - columns: Filters.
    /// - Returns: nil where rows of the input do not fit in scratch memory.
    init?(
        _ kernel: IntegerKernel, _ geometry: SpatialWindow.Geometry, inputShape: [Int], columns: Int, threadCount: Int
    ) {
        self.kernel = kernel
        self.geometry = geometry
        self.inputShape = inputShape
        self.threadCount = threadCount
        let (channels, taps) = (inputShape[1], geometry.kernel.reduce(1, *))
        let line = [geometry.output[1] + geometry.kernel[1], geometry.strides[1], geometry.dilations[1], channels]
        guard (line + [geometry.kernel[0], geometry.dilations[0]]).saturatingProduct <= Self.mostElements else {
            return nil
        }
        runCount = geometry.kernel[0] * (geometry.dilations[1] == 1 ? 1 : geometry.kernel[1])
        let words = runCount * kernel.words(channels * taps / runCount)
        panelByteStride = words * MemoryLayout<Int32>.stride
        var window = apus_window(geometry, shape: inputShape)
        let least = kernel.kernel.convolution_scratch(&window, channels)
        threadByteCount = max(Self.usualByteCount, (least + 63) / 64 * 64)
        let pixels = geometry.output.reduce(1, *)
        let pixelsPerRow = ProductTiling.pixelsPerRow(input: inputShape[2] * inputShape[3], output: pixels, taps: taps)
        tiling = ProductTiling(
            rows: inputShape[0] * pixels, columns: columns, depth: words,
            rowByteCount: pixelsPerRow * channels, segmentCount: 1,
            tileRows: kernel.kernel.tile_rows, panelColumns: kernel.kernel.panel_columns, threads: threadCount)
    }

    /// Memory for all threads.
    var scratchByteCount: Int { threadByteCount * threadCount }

    /// Expected for all images.
    func microseconds(_ cost: OperatorCost, weightByteCount: Int) -> Double {
        let rate = kernel.multiplyAddsPerMicrosecond * Double(threadCount)
        return Speed.microseconds(
            perImage: Double(cost.multiplyAdds) / Double(inputShape[0]) / rate, weightByteCount: weightByteCount,
            images: inputShape[0])
    }

    private struct Arguments: BitwiseCopyable {
        let whole: apus_integer_convolution
        let tiling: ProductTiling
        let panelByteStride: Int
        let convolve: @convention(c) (UnsafePointer<apus_integer_convolution>) -> Void
    }

    /// Runs all pieces.
    ///
    /// - Parameter whole: All pixels and columns; its scratch memory is that of the first thread.
    func run(_ whole: apus_integer_convolution, _ context: StepContext) {
        var whole = whole
        whole.column_count = tiling.columnCount
        whole.pixel_count = tiling.rowCount
        whole.scratch_byte_count = threadByteCount
        let arguments = Arguments(
            whole: whole, tiling: tiling, panelByteStride: panelByteStride, convolve: kernel.kernel.convolve)
        context.workers.run(tiling.pieceCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let piece = it.tiling.piece(index)
            let first = piece.firstRow * it.whole.output_stride + piece.firstColumn
            var part = it.whole
            part.weights += piece.firstColumn * it.panelByteStride
            part.bias += piece.firstColumn
            part.requantization = it.whole.requantization.from(piece.firstColumn)
            part.column_count = piece.columnCount
            part.first_pixel = piece.firstRow
            part.pixel_count = piece.rowCount
            part.output += first
            part.sums = part.sums.map { $0 + first }
            part.scratch += worker * it.whole.scratch_byte_count
            it.convolve(&part)
        }
    }
}
