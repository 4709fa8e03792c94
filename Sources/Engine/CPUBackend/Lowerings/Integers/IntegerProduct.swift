import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution of 8-bit integers as a product with packed weights, divided into pieces.
struct IntegerProduct: Sendable {
    /// The meaning of the product's rows.
    private enum Rows {
        /// The patches of pixels, as `runCount` runs of adjacent taps; each run fills whole words.
        case patches(runCount: Int)
        /// Tiles of 4 · 4 pixels, by Winograd's minimal filtering.
        case tiles
    }

    let kernel: IntegerKernel
    let geometry: SpatialWindow.Geometry
    let inputShape: [Int]
    private let rows: Rows
    private let tiling: PackedProductPartition
    private let threadCount: Int
    /// Scratch bytes of one thread.
    private let threadByteCount: Int
    private let panelByteStride: Int
    /// The multiply-adds of one image, or as many as take the same time.
    private let multiplyAddsPerImage: Double
    private let convolve: @convention(c) (UnsafePointer<apus_integer_convolution>) -> Void

    /// Bytes of input that stay in the first caches while all panels pass over it; fewer where it is multiplied
    /// unchanged.
    private static func usualByteCount(_ kernel: IntegerKernel) -> Int {
        kernel.kernel.group == 4 ? 96 << 10 : max(96 << 10, ProcessorInformation.secondLevelCacheByteCount / 4)
    }
    private static let maximumElements = 1 << 30

    /// Makes a product of patches.
    ///
    /// - Parameters:
    ///   - inputShape: `[N, C, H, W]`.
    ///   - columns: The number of filters.
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
        guard (line + [geometry.kernel[0], geometry.dilations[0]]).saturatingProduct <= Self.maximumElements else {
            return nil
        }
        let runCount = geometry.kernel[0] * (geometry.dilations[1] == 1 ? 1 : geometry.kernel[1])
        rows = .patches(runCount: runCount)
        let words = runCount * kernel.words(channels * taps / runCount)
        panelByteStride = words * MemoryLayout<Int32>.stride
        var window = apus_window(geometry, shape: inputShape)
        let least = kernel.kernel.convolution_scratch(&window, channels)
        threadByteCount = max(Self.usualByteCount(kernel), (least + 63) / 64 * 64)
        let pixels = geometry.output.reduce(1, *)
        let pixelsPerRow = PackedProductPartition.pixelsPerRow(
            input: inputShape[2] * inputShape[3], output: pixels, taps: taps)
        tiling = PackedProductPartition(
            rows: inputShape[0] * pixels, columns: columns, depth: words,
            rowByteCount: pixelsPerRow * channels, segmentCount: 1,
            tileRows: kernel.kernel.tile_rows, panelColumns: kernel.kernel.panel_columns, threads: threadCount)
        multiplyAddsPerImage = Double(pixels) * Double(columns) * Double(channels * taps)
        convolve = kernel.kernel.convolve
    }

    /// The pixels of a tile.
    private static let pixelsPerTile = 16
    /// The 16-bit multiply-adds that take as long as moving one element of an input or output tile.
    private static let transformCost = 10.0
    /// Products of fewer channels take as long as this number of channels.
    private static let minimumDepth = 16
    /// The speed of 16-bit multiply-adds relative to those of a product of patches.
    private static func tileRate(_ kernel: IntegerKernel) -> Double { kernel.kernel.group == 4 ? 0.53 : 0.85 }
    /// The minimum columns of a piece, since every piece transforms its input again.
    private static let minimumColumns = 64
    /// The number of tiles whose inputs and sums are in scratch memory at a time.
    private static func tilesAtATime(channels: Int, panelColumns: Int) -> Int {
        max(6, min(24, (512 << 10) / (IntegerKernel.productsPerTile * (2 * channels + 4 * panelColumns))))
    }

    /// Makes a product of tiles, for a window of 3 · 3 taps with stride 1.
    ///
    /// - Returns: nil where the kernel has no such product.
    init?(
        tilesFor kernel: IntegerKernel, _ geometry: SpatialWindow.Geometry, inputShape: [Int], columns: Int,
        threadCount: Int
    ) {
        guard let convolve = kernel.kernel.convolve_tiles, let scratch = kernel.kernel.tile_scratch else { return nil }
        self.kernel = kernel
        self.geometry = geometry
        self.inputShape = inputShape
        self.threadCount = threadCount
        self.convolve = convolve
        rows = .tiles
        let (channels, panelColumns) = (inputShape[1], kernel.kernel.panel_columns)
        panelByteStride = kernel.transformedPanelByteStride(channels: channels)
        let tilesAtATime = Self.tilesAtATime(channels: channels, panelColumns: panelColumns)
        threadByteCount = (scratch(channels, tilesAtATime) + 63) / 64 * 64
        let tiles = geometry.output.map { ($0 + 3) / 4 }.reduce(1, *)
        // A panel of weights that does not stay in the cache is multiplied with as many tiles as scratch memory holds.
        let staysCached = panelByteStride * panelColumns <= ProcessorInformation.secondLevelCacheByteCount / 2
        tiling = PackedProductPartition(
            rows: inputShape[0] * tiles, columns: columns, depth: panelByteStride / MemoryLayout<Int32>.stride,
            rowByteCount: Self.pixelsPerTile * channels, segmentCount: 1,
            tileRows: staysCached ? kernel.kernel.tile_rows : tilesAtATime,
            panelColumns: max(panelColumns, Self.minimumColumns), threads: threadCount)
        // Half a panel is the smallest unit of work.
        let (depth, half) = (max(channels, Self.minimumDepth), panelColumns / 2)
        let computed = (columns + half - 1) / half * half
        let elements = Double(depth * computed) + Self.transformCost * Double(depth + computed)
        multiplyAddsPerImage = Double(IntegerKernel.productsPerTile * tiles) * elements / Self.tileRate(kernel)
    }

    /// Scratch bytes of all threads.
    var scratchByteCount: Int { threadByteCount * threadCount }

    /// The expected time of all images.
    var microseconds: Double {
        let rate = kernel.multiplyAddsPerMicrosecond * Double(threadCount)
        return Speed.microseconds(
            perImage: multiplyAddsPerImage / rate,
            weightByteCount: panelByteStride * kernel.paddedColumns(tiling.columnCount), images: inputShape[0])
    }

    /// Packs weights `[M, C, taps…]` in the form that the kernel reads, once per session.
    func pack(_ weights: Tensor, zeroPoint: Int32, in packedWeights: PackedWeights) throws -> Tensor {
        switch rows {
        case .patches(let runCount):
            try kernel.pack(weights, runCount: runCount, zeroPoint: zeroPoint, in: packedWeights)
        case .tiles:
            try kernel.packTransformed(weights, zeroPoint: zeroPoint, in: packedWeights)
        }
    }

    /// The bias of every column of packed weights, in the form that the kernel adds to its sums.
    func bias(_ bias: Tensor?, packed: Tensor, zeroPoint: Int32, isSigned: Bool) -> [Int32] {
        var values = [Int32](repeating: 0, count: kernel.paddedColumns(tiling.columnCount))
        if case .patches = rows {
            values.withUnsafeMutableBufferPointer { buffer in
                guard let start = buffer.baseAddress else { return }
                kernel.fillBias(
                    start, packed: packed, columns: tiling.columnCount, zeroPoint: zeroPoint, isSigned: isSigned)
            }
        }
        if let bias {
            for (column, value) in bias.elements(as: Int32.self).enumerated() { values[column] &+= value }
        }
        return values
    }

    private struct Arguments: BitwiseCopyable {
        let whole: apus_integer_convolution
        let tiling: PackedProductPartition
        let panelByteStride: Int
        let convolve: @convention(c) (UnsafePointer<apus_integer_convolution>) -> Void
    }

    /// Runs all pieces.
    ///
    /// - Parameter whole: The product of all columns, with the first thread's scratch memory.
    func run(_ whole: apus_integer_convolution, _ context: StepContext) {
        var whole = whole
        whole.scratch_byte_count = threadByteCount
        let arguments = Arguments(
            whole: whole, tiling: tiling, panelByteStride: panelByteStride, convolve: convolve)
        context.workers.run(tiling.pieceCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let piece = it.tiling.piece(index)
            var part = it.whole
            part.weights += piece.firstColumn * it.panelByteStride
            part.bias += piece.firstColumn
            part.requantization = it.whole.requantization.from(piece.firstColumn)
            part.column_count = piece.columnCount
            part.first = piece.firstRow
            part.count = piece.rowCount
            part.output += piece.firstColumn
            part.sums = part.sums.map { $0 + piece.firstColumn }
            part.numbers = it.whole.numbers.from(piece.firstColumn)
            part.scratch += worker * it.whole.scratch_byte_count
            it.convolve(&part)
        }
    }
}
