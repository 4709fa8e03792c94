import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution of few channels as a product whose rows are runs of elements. The input is copied with padding and
/// with a pixel's channels adjacent, so that a row of the kernel is one run and no window leaves the copy.
struct InterleavedGEMMLowering: Lowering {
    let kernel: GEMMKernel
    /// Whether outputs may be stored in bfloat16.
    let writesBFloat16: Bool

    var name: String { "interleaved-gemm" + kernel.suffix }

    /// The maximum number of channels; more of them fill a run of elements without a copy.
    static let maximumChannels = 4

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        if let refusal = kernel.refusal(request) { return .decline(refusal) }
        let geometry = convolution.geometry
        let channels = convolution.input.shape[1]
        guard channels <= Self.maximumChannels, convolution.operation.group == 1 else {
            return .decline("more than \(Self.maximumChannels) channels")
        }
        guard geometry.kernel[1] > 1 else { return .decline("the kernel is 1 wide") }
        guard geometry.dilations[1] == 1 else { return .decline("the kernel is dilated in width") }
        let width = geometry.output[1]
        let copiedWidth = (width - 1) * geometry.strides[1] + geometry.kernel[1]
        let isRounded = kernel.roundRows != nil
        let pixelWords = kernel.words(channels)
        let rowWindow = RowWindow(geometry)
        func scratch(_ rows: Int) -> RowScratch {
            RowScratch(
                kernel, rows: rows * width, segments: geometry.kernel[0], words: copiedWidth * pixelWords,
                roundedRows: rowWindow.coveredRows(by: rows))
        }
        let needsSums = kernel.needsSums(depth: geometry.kernel[0] * geometry.kernel[1] * pixelWords)
        let tiling = InterleavedPartition(
            convolution, rowWindow, copiedWidth: copiedWidth, pixelLength: isRounded ? 2 * pixelWords : channels,
            hasFloats: isRounded ? needsSums : writesBFloat16, threads: request.threadCount
        ) { scratch($0).byteCount }
        let parts = scratch(tiling.rowsPerPiece)
        return .accept(
            Candidate.interleaved(
                convolution, request, tiling, writesBFloat16: writesBFloat16,
                microseconds: Speed.microseconds(
                    convolution, request, kernel, efficiency: 0.7 * Double(channels) / Double(tiling.pixelLength))
            ) { operands, isPlanar in
                let weights = try kernel.pack(convolution.weights, "gemm/1", in: operands.packedWeights) {
                    try ConvolutionRequest.productWeights($0, group: 1)
                }
                let bias = try kernel.pack(
                    bias: convolution.bias, groups: 1, columns: convolution.output.shape[1])
                return try InterleavedConvolutionStep(
                    convolution, tiling, .gemm(InterleavedGEMM(convolution, tiling, kernel, parts, operands)),
                    isPlanar: isPlanar, weights: weights, bias: bias, operands)
            })
    }
}

extension Candidate {
    /// Makes a candidate for a convolution of few channels that reads planes or pixels as the caller provides them.
    static func interleaved(
        _ convolution: ConvolutionRequest, _ request: LoweringRequest, _ tiling: InterleavedPartition,
        writesBFloat16: Bool, microseconds: Double,
        makeStep: @escaping @Sendable (StepOperands, _ isPlanar: Bool) throws -> InterleavedConvolutionStep
    ) -> Candidate {
        let layout: Layout = request.inputLayouts[0] == .rowMajor ? .rowMajor : .channelsLast
        let makeStep = { @Sendable in try makeStep($0, layout == .rowMajor) }
        return Candidate(
            microseconds: microseconds, inputLayouts: convolution.inputLayouts(image: layout),
            outputLayouts: [.channelsLast], readsSlices: layout == .channelsLast,
            scratchByteCount: tiling.scratchByteCount * request.threadCount,
            bfloat16Operands: writesBFloat16 ? .init(isWritten: true) : nil,
            rowStage: RowStage(
                tiling.rows, scratchByteCount: tiling.scratchByteCount,
                weightsByteCount: convolution.weights.byteCount, makeStep: makeStep),
            makeStep: makeStep)
    }
}

/// The product of a copy's patches with the weights.
struct InterleavedGEMM: BitwiseCopyable {
    private let kernel: GEMMKernel
    /// The patches of a copy.
    private let patches: apus_patches
    /// The division of a piece's scratch memory.
    private let parts: RowScratch
    /// The elements of a pixel of the copy, or its words.
    private let pixelLength: Int
    private let to: ImageView
    private let isBFloat16: Bool
    private let addendStride: Int
    private let activation: apus_activation

    init(
        _ convolution: ConvolutionRequest, _ tiling: InterleavedPartition, _ kernel: GEMMKernel, _ parts: RowScratch,
        _ operands: StepOperands
    ) throws {
        self.kernel = kernel
        self.parts = parts
        pixelLength = kernel.words(convolution.input.shape[1])
        let output = operands.outputs[0]
        to = kernel.roundRows == nil ? .ofFloatResults(output) : ImageView(output)
        isBFloat16 = kernel.roundRows != nil && output.isBFloat16
        addendStride = try ConvolutionAddend(operands).view?.pixelStride ?? 0
        activation = apus_activation(convolution.operation.activation)
        var window = apus_window(convolution.geometry, shape: convolution.input.shape)
        (window.padding_top, window.padding_left) = (0, 0)
        (window.input_height, window.input_width) = (
            tiling.copiedRows(for: tiling.rowsPerPiece), tiling.copiedWidth
        )
        window.input_pixel_stride = pixelLength
        window.input_row_stride = tiling.copiedWidth * pixelLength
        patches = apus_patches(
            window: window, image_stride: 0, image_pixel_count: tiling.rowsPerPiece * to.width,
            order: APUS_PATCH_KERNEL_ROWS)
    }

    /// Whether results are floats, whatever the output is stored as.
    var givesFloats: Bool { kernel.roundRows == nil }

    func convolve(_ piece: InterleavedPiece, _ source: InterleavedSource) {
        source.copy(source.rowCount, from: 0, to: piece.copy)
        var copy = UnsafePointer(piece.copy)
        if let round = kernel.roundRows {
            let (words, length) = (parts.words(piece.scratch), source.width * source.pixelLength)
            round(copy, source.rowCount, length, length, words)
            copy = UnsafePointer(words)
        }
        let pixelCount = piece.rowCount * to.width
        let addresses = parts.addresses(piece.scratch)
        withUnsafePointer(to: patches) {
            apus_find_patches($0, copy, copy, 0, pixelCount, kernel.tileRows, addresses)
        }
        var block = apus_gemm_block(
            rows: addresses, rowCount: pixelCount, segmentCount: patches.window.kernel_height,
            segmentLength: patches.window.kernel_width * pixelLength, weights: piece.weights, bias: piece.bias,
            columnCount: to.channels, output: piece.floats, activation: activation)
        (block.addend, block.addend_stride) = (piece.addend, addendStride)
        ProductOutput(piece.output, isBFloat16: isBFloat16, stride: to.pixelStride)
            .place(&block, at: 0, sums: piece.floats)
        kernel.multiply(&block)
    }
}
