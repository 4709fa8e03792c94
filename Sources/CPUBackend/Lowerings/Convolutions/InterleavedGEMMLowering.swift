import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution of few channels as a product whose rows are runs of elements. The input is copied with padding and
/// with a pixel's channels adjacent, so that a row of the kernel is one run and no window leaves the copy.
struct InterleavedGEMMLowering: Lowering {
    let name = "interleaved-gemm"
    let kernel: GEMMKernel
    /// Whether outputs may be stored in bfloat16.
    let writesBFloat16: Bool

    /// The maximum number of channels; more of them fill a run of elements without a copy.
    static let maximumChannels = 4

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        let geometry = convolution.geometry
        let channels = convolution.input.shape[1]
        guard channels <= Self.maximumChannels, convolution.operation.group == 1 else {
            return .decline("more than \(Self.maximumChannels) channels")
        }
        guard geometry.kernel[1] > 1 else { return .decline("the kernel is 1 wide") }
        guard geometry.dilations[1] == 1 else { return .decline("the kernel is dilated in width") }
        let width = geometry.output[1]
        let tiling = InterleavedTiling(
            convolution, RowWindow(geometry),
            copiedWidth: (width - 1) * geometry.strides[1] + geometry.kernel[1], writesBFloat16: writesBFloat16,
            threads: request.threadCount
        ) { rows in rows * width * geometry.kernel[0] * MemoryLayout<UnsafePointer<Float>>.stride }
        return .accept(
            Candidate.interleaved(
                convolution, request, tiling,
                microseconds: Speed.microseconds(convolution, request, kernel, efficiency: 0.7)
            ) { operands, isPlanar in
                let weights = try kernel.pack(convolution.weights, "gemm/1", in: operands.packedWeights) {
                    try ConvolutionRequest.productWeights($0, group: 1)
                }
                let bias = try kernel.pack(
                    bias: convolution.bias, groups: 1, columns: convolution.output.shape[1])
                return try InterleavedConvolutionStep(
                    convolution, tiling, .gemm(InterleavedGEMM(convolution, tiling, kernel, operands)),
                    isPlanar: isPlanar, weights: weights, bias: bias, operands)
            })
    }
}

extension Candidate {
    /// Makes a candidate for a convolution of few channels that reads planes or pixels as the caller provides them.
    static func interleaved(
        _ convolution: ConvolutionRequest, _ request: LoweringRequest, _ tiling: InterleavedTiling,
        microseconds: Double,
        makeStep: @escaping @Sendable (StepOperands, _ isPlanar: Bool) throws -> InterleavedConvolutionStep
    ) -> Candidate {
        let layout: Layout = request.inputLayouts[0] == .rowMajor ? .rowMajor : .channelsLast
        let makeStep = { @Sendable in try makeStep($0, layout == .rowMajor) }
        return Candidate(
            microseconds: microseconds, inputLayouts: convolution.inputLayouts(image: layout),
            outputLayouts: [.channelsLast], readsSlices: layout == .channelsLast,
            scratchByteCount: tiling.scratchByteCount * request.threadCount,
            bfloat16Operands: tiling.floatByteCount > 0 ? .init(isWritten: true) : nil,
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
    private let channels: Int
    private let to: ImageView
    private let addendStride: Int
    private let activation: apus_activation

    init(
        _ convolution: ConvolutionRequest, _ tiling: InterleavedTiling, _ kernel: GEMMKernel, _ operands: StepOperands
    ) throws {
        self.kernel = kernel
        channels = convolution.input.shape[1]
        to = .ofInterleavedResults(operands.outputs[0])
        addendStride = try ConvolutionAddend(operands).view?.pixelStride ?? 0
        activation = apus_activation(convolution.operation.activation)
        var window = apus_window(convolution.geometry, shape: convolution.input.shape)
        (window.padding_top, window.padding_left) = (0, 0)
        (window.input_height, window.input_width) = (
            tiling.copiedRows(for: tiling.rowsPerPiece), tiling.copiedWidth
        )
        window.input_pixel_stride = channels
        window.input_row_stride = tiling.copiedWidth * channels
        patches = apus_patches(
            window: window, image_stride: 0, image_pixel_count: tiling.rowsPerPiece * to.width,
            order: APUS_PATCH_KERNEL_ROWS)
    }

    func convolve(_ piece: InterleavedPiece, _ source: InterleavedSource) {
        source.copy(source.rowCount, from: 0, to: piece.copy)
        let pixelCount = piece.rowCount * to.width
        let addresses = piece.scratch.assumingMemoryBound(to: UnsafePointer<Float>.self)
        withUnsafePointer(to: patches) {
            apus_find_patches($0, piece.copy, piece.copy, 0, pixelCount, kernel.tileRows, addresses)
        }
        var block = apus_gemm_block(
            rows: addresses, zeros: nil, row_count: pixelCount, segment_count: patches.window.kernel_height,
            segment_length: patches.window.kernel_width * channels, weights: piece.weights, bias: piece.bias,
            column_count: to.channels, output: piece.output, output_stride: to.pixelStride, addend: piece.addend,
            addend_stride: addendStride, activation: activation, rounded: nil, rounded_stride: 0, rounded_addend: nil)
        kernel.multiply(&block)
    }
}
