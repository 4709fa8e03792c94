import CPUKernels
import Graphs
import Planning
import Tensors

/// A 1×1 convolution of a few planes, such as the heads of attention: too few channels to fill vectors with them.
struct PlanarPointwiseLowering: Lowering {
    let name = "planar-pointwise"

    /// The maximum number of input channels and of output channels.
    private static let maximumChannels = 16
    /// The minimum number of pixels that is worth a vector.
    private static let minimumPixels = 64

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        guard convolution.isPointwise else {
            return .decline("not a 1×1 kernel with stride 1, no padding and one group")
        }
        guard max(convolution.input.shape[1], convolution.output.shape[1]) <= Self.maximumChannels else {
            return .decline("more than \(Self.maximumChannels) channels")
        }
        guard convolution.input.shape.dropFirst(2).reduce(1, *) >= Self.minimumPixels else {
            return .decline("fewer than \(Self.minimumPixels) pixels")
        }
        guard !convolution.hasAddend, convolution.operation.activation == nil else {
            return .decline("something is added or activated")
        }
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    request.cost, multiplyAddsPerMicrosecond: 10_000, threads: request.threadCount),
                inputLayouts: convolution.inputLayouts(image: .rowMajor), outputLayouts: [.rowMajor],
                readsSlices: false, writesSlices: false
            ) { operands in
                PlanarPointwiseStep(
                    input: try operands.input(0), output: operands.outputs[0],
                    weights: try convolution.weights.contiguous(), bias: try convolution.contiguousBias())
            })
    }
}

/// output[m][p] = Σ weights[m][c] · input[c][p] + bias[m] for every pixel p of every image.
private struct PlanarPointwiseStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>?
        let inputChannels: Int
        let outputChannels: Int
        let pixelCount: Int
        let piecesPerImage: Int
    }

    let input: Operand
    let output: Operand
    let weights: Tensor
    let bias: Tensor?

    /// The pixels of a piece, whose results stay in the first-level cache until the bias is added.
    private static let pixelsPerPiece = 2048

    func run(_ context: StepContext) {
        let pixelCount = input.shape.dropFirst(2).reduce(1, *)
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), weights: weights.floats,
            bias: bias?.floats, inputChannels: input.shape[1], outputChannels: output.shape[1], pixelCount: pixelCount,
            piecesPerImage: (pixelCount + Self.pixelsPerPiece - 1) / Self.pixelsPerPiece)
        context.workers.run(arguments.piecesPerImage * input.shape[0], arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (image, piece) = index.quotientAndRemainder(dividingBy: it.piecesPerImage)
            let first = piece * Self.pixelsPerPiece
            let count = min(Self.pixelsPerPiece, it.pixelCount - first)
            let result = it.output + image * it.outputChannels * it.pixelCount + first
            if let bias = it.bias {
                for channel in 0..<it.outputChannels {
                    (result + channel * it.pixelCount).update(repeating: bias[channel], count: count)
                }
            }
            var product = apus_thin_product(
                left: it.weights, right: it.input + image * it.inputChannels * it.pixelCount + first,
                row_count: it.outputChannels, depth: it.inputChannels, column_count: count,
                left_row_stride: it.inputChannels, left_column_stride: 1, right_stride: it.pixelCount, alpha: 1,
                beta: it.bias == nil ? 0 : 1, result: result, result_row_stride: it.pixelCount,
                result_column_stride: 1)
            apus_multiply_thin(&product)
        }
    }
}
