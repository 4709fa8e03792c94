import CPUKernels
import Graphs
import Planning
import Tensors

/// GridSample of images, some points at a time.
struct GridSampleLowering: Lowering {
    let name = "grid-sample"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let sample = request.operation as? GridSample else { return .otherOperator }
        if let refusal = request.refusalOfImages { return .decline(refusal) }
        let taps = sample.mode == .cubic ? 16 : sample.mode == .linear ? 4 : 1
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    OperatorCost(
                        multiplyAdds: [request.outputs[0].elementCount, taps].saturatingProduct,
                        bytes: request.cost.bytes),
                    multiplyAddsPerMicrosecond: 2_000, threads: request.threadCount),
                inputLayouts: [.channelsLast, .rowMajor], outputLayouts: [.channelsLast], readsSlices: false,
                writesSlices: false
            ) { operands in
                GridSampleStep(
                    input: try operands.input(0), grid: try operands.input(1), output: operands.outputs[0],
                    operation: sample)
            })
    }
}

private struct GridSampleStep: Step {
    private struct Arguments: BitwiseCopyable {
        var image: apus_sampled_image
        let grid: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let imageStride, points, piecesPerImage: Int
    }

    let input, grid, output: Operand
    let operation: GridSample

    /// The number of points of a piece.
    private static let pointsPerPiece = 256

    func run(_ context: StepContext) {
        let from = ImageView(input)
        let points = output.shape[2] * output.shape[3]
        let image = apus_sampled_image(
            pixels: context.floats(input), height: from.height, width: from.width, channel_count: from.channels,
            row_stride: from.rowStride, pixel_stride: from.pixelStride, mode: operation.mode.kernelMode,
            padding: operation.padding.kernelPadding, aligns_corners: operation.alignsCorners ? 1 : 0)
        let arguments = Arguments(
            image: image, grid: context.floats(grid), output: context.mutableFloats(output),
            imageStride: from.imageStride, points: points,
            piecesPerImage: (points + Self.pointsPerPiece - 1) / Self.pointsPerPiece)
        context.workers.run(from.count * arguments.piecesPerImage, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let (image, piece) = index.quotientAndRemainder(dividingBy: it.piecesPerImage)
            let first = piece * GridSampleStep.pointsPerPiece
            let channels = it.image.channel_count
            it.image.pixels += image * it.imageStride
            apus_sample_points(
                &it.image, it.grid + 2 * (image * it.points + first),
                min(GridSampleStep.pointsPerPiece, it.points - first),
                it.output + (image * it.points + first) * channels, channels)
        }
    }
}

extension GridSample.Mode {
    fileprivate var kernelMode: apus_sampling_mode {
        switch self {
        case .nearest: APUS_SAMPLING_NEAREST
        case .linear: APUS_SAMPLING_LINEAR
        case .cubic: APUS_SAMPLING_CUBIC
        }
    }
}

extension GridSample.Padding {
    fileprivate var kernelPadding: apus_sampling_padding {
        switch self {
        case .zeros: APUS_SAMPLING_ZEROS
        case .border: APUS_SAMPLING_BORDER
        case .reflection: APUS_SAMPLING_REFLECTION
        }
    }
}
