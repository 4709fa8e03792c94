import CPUKernels

/// How the tiles of a batch are cut into pieces for threads.
///
/// Every sum runs over the channels in one order, so the pieces may depend on threads and batch without changing bits.
/// Which weights are transformed in advance changes bits, and depends on one image alone.
struct WinogradTiling: BitwiseCopyable {
    /// Whether a thread takes a block of tiles through all phases by itself. Otherwise runs of images are transformed
    /// by all threads, which then divide the output channels, so that each weight is read once.
    let isFused: Bool
    /// Whether weights are stored as they are and transformed for every block: less than half the bytes to read, where
    /// an image has too few tiles to hide the reading.
    let transformsWeights: Bool
    /// Tiles through the batch, in `runCount` runs of whole images; one run when fused.
    let tileCount: Int
    let tilesPerImage: Int
    let imagesPerRun: Int
    let runCount: Int
    /// Blocks of tiles that a run is cut into for the products.
    let blockCount: Int
    let panelCount: Int
    /// Pieces of the transform of a run's inputs, when it is not fused.
    let tilesPerTransform: Int
    let channelsPerTransform: Int

    /// An image whose weights are multiplied with more tiles keeps a thread busy long enough with tiles of its own.
    private static let mostSharedTiles = 40
    /// Transformed weights of more bytes are not worth reading again for every block of tiles.
    private static let mostFusedWeightBytes = 4 << 20
    /// Multiplying a transformed weight with this many tiles takes as long as reading it from memory.
    private static let leastTilesPerTransformedWeight = 16
    /// Tiles of a run that make up for transforming the weights.
    private static let wantedTilesPerRun = 64
    /// Transforming a weight costs as much as multiplying it with this many tiles.
    private static let tilesPerWeightTransform = 8
    private static let piecesPerThread = 4

    init(
        _ kernel: WinogradKernel, images: Int, height: Int, width: Int, inputChannels: Int, outputChannels: Int,
        threads: Int
    ) {
        let (tileHeight, tileWidth) = (kernel.shape.tile_height, kernel.shape.tile_width)
        tilesPerImage = Self.evenly(height, tileHeight) * Self.evenly(width, tileWidth)
        tileCount = images * tilesPerImage
        panelCount = kernel.panelCount(outputChannels)
        let weightBytes = 4 * kernel.shape.factor_count * inputChannels * outputChannels
        let tilesPerWeight = tilesPerImage * kernel.shape.product_count / kernel.shape.factor_count
        isFused = tilesPerWeight > Self.mostSharedTiles && weightBytes <= Self.mostFusedWeightBytes
        let taps = kernel.shape.kernel_height * kernel.shape.kernel_width
        transformsWeights =
            kernel.shape.factor_count > 2 * taps && tilesPerWeight < Self.leastTilesPerTransformedWeight
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

    /// The largest of `parts` equal parts.
    private static func evenly(_ count: Int, _ parts: Int) -> Int { (count + parts - 1) / parts }

    /// The number of blocks that finishes first, when every thread takes the next piece of a panel and a block.
    private static func blockCount(tiles: Int, panels: Int, threads: Int) -> Int {
        let least = evenly(tiles, mostSharedTiles)
        let most = max(least, min(tiles / tilesPerWeightTransform, 2 * threads))
        func time(_ blocks: Int) -> Int {
            evenly(panels * blocks, threads) * (evenly(tiles, blocks) + tilesPerWeightTransform)
        }
        return (least...most).min { time($0) < time($1) } ?? least
    }

    /// The tiles of a run, numbered through the batch.
    func tiles(run: Int) -> Range<Int> {
        let first = run * imagesPerRun * tilesPerImage
        return first..<min(tileCount, first + imagesPerRun * tilesPerImage)
    }

    /// The tiles of a block of a run of `count`, from the run's first.
    func block(_ index: Int, of count: Int) -> Range<Int> {
        count * index / blockCount..<count * (index + 1) / blockCount
    }

    /// Into how many pieces the transform of a run of `tiles` is cut.
    func transformPieces(tiles: Int, channels: Int) -> Int {
        Self.evenly(tiles, tilesPerTransform) * channelPieces(channels)
    }

    func channelPieces(_ channels: Int) -> Int { Self.evenly(channels, channelsPerTransform) }

    var mostTilesPerRun: Int { imagesPerRun * tilesPerImage }

    var mostTilesPerBlock: Int { Self.evenly(mostTilesPerRun, blockCount) }
}
