import CPUKernels

/// The division of a batch's tiles into pieces for threads.
///
/// Every sum runs over the channels in one order, so the pieces may depend on threads and batch without changing bits.
/// Which weights are transformed in advance changes bits, and depends only on one image.
struct WinogradPartition: BitwiseCopyable {
    /// Whether one thread takes a block of tiles through all phases. Otherwise all threads transform runs of images and
    /// then divide the output channels among them, so that each weight is read once.
    let isFused: Bool
    /// Whether weights are stored untransformed and transformed for every block. Fewer than half the bytes are then
    /// read, which is faster where an image has too few tiles to hide the reading.
    let transformsWeights: Bool
    /// The number of tiles in the batch, in `runCount` runs of whole images; one run when fused.
    let tileCount: Int
    let tilesPerImage: Int
    let imagesPerRun: Int
    let runCount: Int
    /// The number of blocks into which a run's tiles are divided for the products.
    let blockCount: Int
    let panelCount: Int
    /// The tiles per piece when a run's inputs are transformed; used when the tiling is not fused.
    let tilesPerTransform: Int
    let channelsPerTransform: Int

    /// The maximum tiles per weight for which threads share an image's tiles; with more, a thread has enough work with
    /// its own.
    private static let maximumSharedTiles = 40
    /// The maximum bytes of transformed weights that are worth reading again for every block of tiles.
    private static let maximumFusedWeightBytes = 4 << 20
    /// Multiplying a transformed weight with this many tiles takes as long as reading it from memory.
    private static let minimumTilesPerTransformedWeight = 16
    /// The number of tiles in a run that makes up for transforming the weights.
    private static let wantedTilesPerRun = 64
    /// Transforming a weight costs as much as multiplying it with this many tiles.
    private static let tilesPerWeightTransform = 8
    private static let piecesPerThread = 4

    /// - Parameter transformsWeights: Whether weights are stored untransformed; by default as the number of tiles
    ///   suggests.
    init(
        _ kernel: WinogradKernel, images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int,
        threads: Int, transformsWeights: Bool? = nil
    ) {
        let (tileHeight, tileWidth) = (kernel.shape.tile_height, kernel.shape.tile_width)
        tilesPerImage = Self.evenly(height, tileHeight) * Self.evenly(width, tileWidth)
        tileCount = images * tilesPerImage
        panelCount = kernel.panelCount(outputChannels)
        let weightBytes = 4 * kernel.shape.factor_count * inputChannels * outputChannels
        let tilesPerWeight = tilesPerImage * kernel.shape.product_count / kernel.shape.factor_count
        isFused = tilesPerWeight > Self.maximumSharedTiles && weightBytes <= Self.maximumFusedWeightBytes
        let taps = kernel.shape.kernel_height * kernel.shape.kernel_width
        self.transformsWeights =
            transformsWeights
            ?? (kernel.shape.factor_count > 2 * taps && tilesPerWeight < Self.minimumTilesPerTransformedWeight)
        if isFused {
            (imagesPerRun, runCount) = (images, 1)
            let unit = kernel.tileRows < 12 ? 2 * kernel.tileRows : kernel.tileRows
            let bytesPerUnit = 4 * kernel.shape.product_count * unit * (inputChannels + kernel.panelColumns)
            let units = max(1, ProcessorInformation.secondLevelCacheByteCount / 3 / bytesPerUnit)
            let blocks = Self.evenly(tileCount, units * unit)
            blockCount = min(tileCount, Self.evenly(blocks, threads) * threads)
            (tilesPerTransform, channelsPerTransform) = (0, 0)
        } else {
            let runs = Self.evenly(images, max(1, Self.wantedTilesPerRun / tilesPerImage))
            imagesPerRun = Self.evenly(images, runs)
            runCount = Self.evenly(images, imagesPerRun)
            let tiles = imagesPerRun * tilesPerImage
            blockCount = Self.blockCount(tiles: tiles, panels: panelCount, threads: threads)
            let wanted = Self.piecesPerThread * threads
            tilesPerTransform = max(1, tiles / wanted)
            let channelPieces = max(1, min(wanted / tiles, inputChannels / 16))
            channelsPerTransform = Self.evenly(Self.evenly(inputChannels, channelPieces), 16) * 16
        }
    }

    /// The size of the largest of `parts` equal parts.
    private static func evenly(_ count: Int, _ parts: Int) -> Int { (count + parts - 1) / parts }

    /// The number of blocks that finishes first when every thread takes the next piece, one panel and one block.
    private static func blockCount(tiles: Int, panels: Int, threads: Int) -> Int {
        let least = evenly(tiles, maximumSharedTiles)
        let most = max(least, min(tiles / tilesPerWeightTransform, 2 * threads))
        func time(_ blocks: Int) -> Int {
            evenly(panels * blocks, threads) * (evenly(tiles, blocks) + tilesPerWeightTransform)
        }
        return (least...most).min { time($0) < time($1) } ?? least
    }

    /// The tiles of a run, numbered within the batch.
    func tiles(run: Int) -> Range<Int> {
        let first = run * imagesPerRun * tilesPerImage
        return first..<min(tileCount, first + imagesPerRun * tilesPerImage)
    }

    /// The tiles of a block in a run of `count` tiles, numbered within the run.
    func block(_ index: Int, of count: Int) -> Range<Int> {
        count * index / blockCount..<count * (index + 1) / blockCount
    }

    /// The number of pieces into which the transform of a run of `tiles` is divided.
    func transformPieces(tiles: Int, channels: Int) -> Int {
        Self.evenly(tiles, tilesPerTransform) * channelPieces(channels)
    }

    func channelPieces(_ channels: Int) -> Int { Self.evenly(channels, channelsPerTransform) }

    var maximumTilesPerRun: Int { imagesPerRun * tilesPerImage }

    var maximumTilesPerBlock: Int { Self.evenly(maximumTilesPerRun, blockCount) }
}
