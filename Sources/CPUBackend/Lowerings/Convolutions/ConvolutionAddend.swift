import Graphs
import Planning

/// The value that a convolution adds to its result before the activation; absent where it adds none.
struct ConvolutionAddend {
    let operand: Operand?
    let view: ImageView?

    init(_ operands: StepOperands) throws {
        operand = try operands.optionalInput(Conv.addendPosition)
        view = operand.map { ImageView($0) }
    }

    /// The addend's pixels during a run.
    func pixels(_ context: StepContext) -> Pixels {
        Pixels(
            start: context.floats(operand), imageStride: view?.imageStride ?? 0, pixelStride: view?.pixelStride ?? 0)
    }

    /// The pixels of a batch of images, numbered within an image row by row; strides are in elements.
    struct Pixels: BitwiseCopyable {
        let start: UnsafePointer<Float>?
        let imageStride: Int
        let pixelStride: Int

        /// The address of a pixel's channel; nil when nothing is added.
        func address(image: Int, pixel: Int, channel: Int = 0) -> UnsafePointer<Float>? {
            start.map { $0 + image * imageStride + pixel * pixelStride + channel }
        }
    }
}
