import CPUKernels
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
            memory: operand.map { context.memory.address($0) }, isBFloat16: operand?.isBFloat16 ?? false,
            imageStride: view?.imageStride ?? 0, pixelStride: view?.pixelStride ?? 0)
    }

    /// The pixels of a batch of images, numbered within an image row by row; strides are in elements.
    struct Pixels: BitwiseCopyable {
        fileprivate let memory: UnsafeRawPointer?
        fileprivate let isBFloat16: Bool
        let imageStride: Int
        let pixelStride: Int

        /// The first pixel; nil when nothing is added, or when it is bfloat16.
        var start: UnsafePointer<Float>? { isBFloat16 ? nil : memory?.assumingMemoryBound(to: Float.self) }

        /// Makes a product add pixels from one on.
        func place(_ block: inout apus_gemm_block, image: Int, pixel: Int, channel: Int = 0) {
            let element = image * imageStride + pixel * pixelStride + channel
            block.addend_stride = pixelStride
            if isBFloat16 {
                block.rounded_addend = memory.map { $0.assumingMemoryBound(to: UInt16.self) + element }
            } else {
                block.addend = start.map { $0 + element }
            }
        }

        /// The address of a pixel's channel; nil when nothing is added.
        func address(image: Int, pixel: Int, channel: Int = 0) -> UnsafePointer<Float>? {
            start.map { $0 + image * imageStride + pixel * pixelStride + channel }
        }
    }
}
