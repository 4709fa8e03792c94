/// The strides of a batch of channels-last images, in elements.
///
/// Invariant: neighbouring pixels, rows and images lie `pixelStride`, `rowStride` and `imageStride` apart. Where images
/// have one row, or one pixel, each stride is that of the next axis with neighbours, so that the pixels of all images
/// of a dense value or of a slice along the channels are rows that lie `pixelStride` apart.
package struct ImageView: BitwiseCopyable, Sendable {
    package let count: Int
    package let channels: Int
    package let height: Int
    package let width: Int
    package let imageStride: Int
    package let rowStride: Int
    package let pixelStride: Int

    /// - Parameter operand: An operand `[N, C, H, W]` whose channels are adjacent.
    package init(_ operand: Operand) {
        count = operand.shape[0]
        channels = operand.shape[1]
        height = operand.shape[2]
        width = operand.shape[3]
        pixelStride =
            width > 1
            ? operand.strides[3]
            : height > 1 ? operand.strides[2] : count > 1 ? operand.strides[0] : max(channels, 1)
        rowStride = height > 1 ? operand.strides[2] : width * pixelStride
        imageStride = count > 1 ? operand.strides[0] : height * rowStride
    }

    /// - Parameter planes: A dense operand `[N, C, H, W]` in row-major order.
    package init(planes operand: Operand) {
        count = operand.shape[0]
        channels = operand.shape[1]
        height = operand.shape[2]
        width = operand.shape[3]
        pixelStride = 1
        rowStride = width
        imageStride = channels * height * width
    }

    package var pixelCount: Int { height * width }

    private init(_ view: ImageView, elementsPerWord: Int) {
        (count, height, width) = (view.count, view.height, view.width)
        channels = view.channels / elementsPerWord
        imageStride = view.imageStride / elementsPerWord
        rowStride = view.rowStride / elementsPerWord
        pixelStride = view.pixelStride / elementsPerWord
    }

    /// The same images of 16-bit elements as images of words of two; the channels must be even.
    package var inWords: ImageView { ImageView(self, elementsPerWord: 2) }
}
