import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution of few channels with stride 2 by minimal filtering.
///
/// In a padded copy, every 2×2 pixels are joined into one pixel with four times the channels. A kernel of k×k taps with
/// stride 2 is then one of ⌈k/2⌉×⌈k/2⌉ taps with stride 1, whose last taps may be zeros.
struct InterleavedWinogradLowering: Lowering {
    let name = "interleaved-winograd"
    let kernels: [WinogradKernel]
    let writesBFloat16: Bool

    /// - Parameters:
    ///   - kernels: The available kernels; those that are faster than a product of patches are used.
    ///   - writesBFloat16: Whether outputs may be stored in bfloat16.
    init(_ kernels: [WinogradKernel], writesBFloat16: Bool) {
        self.writesBFloat16 = writesBFloat16
        self.kernels = kernels.filter { [.of3x3By4x4, .of4x4By3x3].contains($0.kind) }
    }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        let geometry = convolution.geometry
        let (channels, outputChannels) = (convolution.input.shape[1], convolution.output.shape[1])
        guard channels <= InterleavedGEMMLowering.maximumChannels, convolution.operation.group == 1 else {
            return .decline("more than \(InterleavedGEMMLowering.maximumChannels) channels")
        }
        guard geometry.strides == [2, 2], geometry.dilations == [1, 1] else {
            return .decline("strides are not 2, or dilations not 1")
        }
        let taps = geometry.kernel.map { ($0 + 1) / 2 }
        guard let kernel = kernels.first(where: { [$0.shape.kernel_height, $0.shape.kernel_width] == taps }) else {
            return .decline("no transform of \(taps[0])×\(taps[1]) taps")
        }
        let (tileHeight, tileWidth) = (kernel.shape.tile_height, kernel.shape.tile_width)
        let tilesAcross = (geometry.output[1] + tileWidth - 1) / tileWidth
        let tilesDown = (geometry.output[0] + tileHeight - 1) / tileHeight
        let tilesPerBlock = kernel.tileRows < 12 ? 4 * kernel.tileRows : 2 * kernel.tileRows
        let product = InterleavedWinograd.Blocks(
            kernel, tilesPerBlock: tilesPerBlock, copiedWidth: 2 * (tilesAcross * tileWidth + taps[1] - 1),
            channels: channels)
        let tiling = InterleavedPartition(
            convolution, RowWindow(geometry, rowsPerGroup: tileHeight, reach: 2 * taps[0]),
            copiedWidth: product.copiedWidth, pixelLength: channels, hasFloats: writesBFloat16,
            threads: request.threadCount
        ) { _ in product.scratchCount * MemoryLayout<Float>.stride }
        let work = kernel.multiplyAdds(
            tiles: tilesAcross * tilesDown, inputChannels: 4 * channels, outputChannels: outputChannels)
        let rate = kernel.instructionSet.multiplyAddsPerMicrosecond * Double(request.threadCount)
        return .accept(
            Candidate.interleaved(
                convolution, request, tiling, writesBFloat16: writesBFloat16,
                microseconds: Speed.microseconds(
                    perImage: work / rate, weightByteCount: convolution.weights.byteCount,
                    images: convolution.output.shape[0])
            ) { operands, isPlanar in
                let weights = try kernel.pack(
                    convolution.weights, transformsWeights: false, "joined pixels/", in: operands.packedWeights,
                    arrange: Self.joinedTaps)
                let bias = try kernel.pack(bias: convolution.bias, outputChannels: outputChannels)
                return try InterleavedConvolutionStep(
                    convolution, tiling, .winograd(InterleavedWinograd(convolution, product, operands)),
                    isPlanar: isPlanar, weights: weights, bias: bias, operands)
            })
    }

    /// Rearranges weights `[M, C, kh, kw]` as `[M, 4 · C, ⌈kh/2⌉, ⌈kw/2⌉]`, for the channels of 2×2 joined pixels, with
    /// zeros where the kernel has no tap.
    private static func joinedTaps(_ weights: Tensor) throws -> Tensor {
        let (outputs, channels) = (weights.shape[0], weights.shape[1])
        let (height, width) = (weights.shape[2], weights.shape[3])
        let (rows, columns) = ((height + 1) / 2, (width + 1) / 2)
        let taps = weights.elements(as: Float.self)
        var joined = [Float](repeating: 0, count: outputs * 4 * channels * rows * columns)
        for (index, tap) in taps.enumerated() {
            let (filter, position) = index.quotientAndRemainder(dividingBy: height * width)
            let (output, channel) = filter.quotientAndRemainder(dividingBy: channels)
            let (y, x) = position.quotientAndRemainder(dividingBy: width)
            let joinedChannel = (y % 2 * 2 + x % 2) * channels + channel
            joined[((output * 4 * channels + joinedChannel) * rows + y / 2) * columns + x / 2] = tap
        }
        return try Tensor(joined, shape: [outputs, 4 * channels, rows, columns])
    }
}

/// Winograd's convolution of a copy whose pixels are joined.
struct InterleavedWinograd: BitwiseCopyable {
    /// The division of a copy's tiles into blocks, and the memory of a block in elements.
    struct Blocks: BitwiseCopyable {
        let kernel: WinogradKernel
        let tilesPerBlock: Int
        /// Pixels per row of the copy, before they are joined.
        let copiedWidth: Int
        let rowPairCount: Int
        let transformedCount: Int
        let scratchCount: Int

        init(_ kernel: WinogradKernel, tilesPerBlock: Int, copiedWidth: Int, channels: Int) {
            self.kernel = kernel
            self.tilesPerBlock = tilesPerBlock
            self.copiedWidth = copiedWidth
            rowPairCount = (2 * copiedWidth * channels + 15) / 16 * 16
            transformedCount = kernel.transformedCount(tiles: tilesPerBlock, inputChannels: 4 * channels)
            scratchCount =
                rowPairCount + transformedCount + kernel.scratchCount(tiles: tilesPerBlock, transformsWeights: false)
        }
    }

    private let blocks: Blocks
    /// The layer over a copy of one piece.
    private let layer: apus_winograd_layer

    init(_ convolution: ConvolutionRequest, _ blocks: Blocks, _ operands: StepOperands) throws {
        self.blocks = blocks
        let to = ImageView.ofFloatResults(operands.outputs[0])
        let addend = try ConvolutionAddend(operands).view
        let channels = 4 * convolution.input.shape[1]
        layer = apus_winograd_layer(
            input_height: 0, input_width: blocks.copiedWidth / 2, input_channels: channels, input_image_stride: 0,
            input_row_stride: blocks.copiedWidth / 2 * channels, input_pixel_stride: channels, output_height: 0,
            output_width: to.width, output_channels: to.channels, output_image_stride: 0,
            output_row_stride: to.rowStride, output_pixel_stride: to.pixelStride, addend_image_stride: 0,
            addend_row_stride: addend?.rowStride ?? 0, addend_pixel_stride: addend?.pixelStride ?? 0, padding_top: 0,
            padding_left: 0, activation: apus_activation(convolution.operation.activation), transforms_weights: 0)
    }

    func convolve(_ piece: InterleavedPiece, _ source: InterleavedSource) {
        let rowPair = piece.scratch.assumingMemoryBound(to: Float.self)
        for row in stride(from: 0, to: source.rowCount, by: 2) {
            source.copy(2, from: row, to: rowPair)
            apus_join_pixels(
                rowPair, source.width, source.channels, piece.copy + row * source.width * source.channels)
        }
        let kernel = blocks.kernel
        var layer = layer
        layer.input_height = source.rowCount / 2
        layer.output_height = piece.rowCount
        let (tileHeight, tileWidth) = (kernel.shape.tile_height, kernel.shape.tile_width)
        let tileCount =
            (layer.output_height + tileHeight - 1) / tileHeight * ((layer.output_width + tileWidth - 1) / tileWidth)
        let transformed = rowPair + blocks.rowPairCount
        // No tile leaves the copy, so no zeros are read.
        var run = apus_winograd_run(
            input: piece.copy, zeros: piece.copy, weights: piece.weights, bias: piece.bias, addend: piece.addend,
            output: piece.output.assumingMemoryBound(to: Float.self), transformed: transformed, first_tile: 0,
            tile_count: 0)
        let blockCount = (tileCount + blocks.tilesPerBlock - 1) / blocks.tilesPerBlock
        for block in 0..<blockCount {
            let tiles = tileCount * block / blockCount..<tileCount * (block + 1) / blockCount
            run.first_tile = tiles.lowerBound
            run.tile_count = tiles.count
            kernel.functions.transform(&layer, &run, 0, tiles.count, 0, layer.input_channels)
            kernel.functions.multiply(
                &layer, &run, 0, tiles.count, 0, kernel.panelCount(layer.output_channels),
                transformed + blocks.transformedCount)
        }
    }
}
