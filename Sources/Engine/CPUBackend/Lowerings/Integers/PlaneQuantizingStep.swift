import CPUKernels
import Graphs
import Planning
import Tensors

/// Quantizes the dense planes of images into channels-last pixels of bytes.
struct PlaneQuantizingStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<UInt8>
        let channels: Int
        let pixels: Int
        /// The number of pixels in one piece of work.
        let step: Int
        let scale: Float
        let zeroPoint: Int32
        let low: Int32
        let high: Int32
        let roundsToEven: Int32
    }

    let operation: AffineQuantize
    let roundsToEven: Bool
    let input: Operand
    let output: Operand

    private static let pieceCount = 8
    private static let block = 256

    func run(_ context: StepContext) {
        let view = ImageView(planes: input)
        let range = output.elementType.quantizedRange ?? 0...0
        // Pieces consist of whole blocks of the kernel.
        let step = (view.pixelCount / Self.pieceCount / Self.block + 1) * Self.block
        let arguments = Arguments(
            input: UnsafeRawPointer(context.bytes(input)).assumingMemoryBound(to: Float.self),
            output: context.mutableBytes(output), channels: view.channels, pixels: view.pixelCount, step: step,
            scale: operation.scale, zeroPoint: operation.zeroPoint, low: range.lowerBound, high: range.upperBound,
            roundsToEven: roundsToEven ? 1 : 0)
        let pieces = (view.pixelCount + step - 1) / step
        context.workers.run(view.count * pieces, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let step = it.step
            let (image, piece) = index.quotientAndRemainder(dividingBy: (it.pixels + step - 1) / step)
            let first = image * it.pixels * it.channels
            apus_quantize_planes(
                it.input + first + piece * step, it.pixels, it.channels, it.scale, it.zeroPoint, it.low, it.high,
                it.roundsToEven, min(step, it.pixels - piece * step), it.output + first + piece * step * it.channels)
        }
    }
}
