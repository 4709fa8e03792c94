import CPUKernels
import Planning

/// Finds the patches of a convolution's input as rows of a product, and rounds the pixels that they cover where the
/// kernel does not read floats and the input is stored in floats.
struct PatchRows: BitwiseCopyable {
    var patches: apus_patches
    let kernel: GEMMKernel
    /// The channels of a group.
    let channels: Int
    /// Whether the input is stored as words of two bfloat16; strides are then those of words.
    let isRounded: Bool
    /// The division of a worker's scratch memory.
    let scratch: RowScratch

    var taps: Int { patches.window.kernel_height * patches.window.kernel_width }
    /// The distance from a group's channels to those of the next, in elements or words of the input.
    var elementsPerGroup: Int { isRounded ? words : channels }
    /// The words of the channels of a pixel.
    var words: Int { kernel.words(channels) }

    /// The division of scratch memory for at most `pixels` pixels of the output at a time.
    static func scratch(
        _ convolution: ConvolutionRequest, _ kernel: GEMMKernel, pixels: Int, sumColumns: Int
    ) -> RowScratch {
        let window = RowWindow(convolution.geometry)
        let width = max(1, convolution.geometry.output[1])
        let outputRows = min(window.outputHeight, (pixels + width - 2) / width + 1)
        return RowScratch(
            kernel, rows: pixels, segments: convolution.geometry.kernel.reduce(1, *),
            words: kernel.words(convolution.weights.shape[1]),
            roundedRows: max(pixels, window.maximumInputRows(for: outputRows) * convolution.input.shape[3]),
            sumColumns: sumColumns)
    }

    /// Writes the addresses of the patches of pixels from `first` on, numbered through the batch.
    ///
    /// - Parameters:
    ///   - input: The first channel of the group.
    ///   - zeros: As many zeros as a pixel has words.
    /// - Returns: The number of pixels found: all of them, or those of one image where they are rounded.
    func find(
        _ first: Int, count: Int, input: UnsafePointer<Float>, zeros: UnsafePointer<Float>,
        _ memory: UnsafeMutableRawPointer
    ) -> Int {
        let addresses = scratch.addresses(memory)
        var patches = patches
        guard !isRounded, let round = kernel.roundRows else {
            apus_find_patches(&patches, input, zeros, first, count, kernel.tileRows, addresses)
            return count
        }
        let (image, pixel) = first.quotientAndRemainder(dividingBy: patches.image_pixel_count)
        let count = min(count, patches.image_pixel_count - pixel)
        let (from, rounded) = (input + image * patches.image_stride, scratch.words(memory))
        let stride = patches.window.input_pixel_stride
        if isPointwise {
            round(from + pixel * stride, count, stride, channels, rounded)
            for row in 0..<count { (addresses + row).initialize(to: UnsafePointer(rounded + row * words)) }
            return count
        }
        let width = patches.window.output_width
        let start = roundBand(pixel / width...(pixel + count - 1) / width, from, round, rounded, &patches)
        apus_find_patches(&patches, rounded, zeros, pixel - start, count, kernel.tileRows, addresses)
        return count
    }

    /// Whether patches are the pixels of the input, one after the other.
    private var isPointwise: Bool {
        let window = patches.window
        return taps == 1 && window.stride_height == 1 && window.stride_width == 1 && window.padding_top == 0
            && window.padding_left == 0 && window.output_width == window.input_width
            && patches.image_pixel_count == window.input_height * window.input_width
            && window.input_row_stride == window.input_width * window.input_pixel_stride
    }

    /// Rounds the rows of an image that some rows of the output need, and makes `patches` those of that band.
    ///
    /// - Returns: The number of the band's first pixel of the output in the image.
    private func roundBand(
        _ outputRows: ClosedRange<Int>, _ from: UnsafePointer<Float>,
        _ round: (UnsafePointer<Float>, Int, Int, Int, UnsafeMutablePointer<Float>) -> Void,
        _ rounded: UnsafeMutablePointer<Float>, _ patches: inout apus_patches
    ) -> Int {
        var window = patches.window
        let (rowStride, pixelStride, width) = (window.input_row_stride, window.input_pixel_stride, window.input_width)
        let first = outputRows.lowerBound * window.stride_height - window.padding_top
        let end =
            outputRows.upperBound * window.stride_height - window.padding_top
            + (window.kernel_height - 1) * window.dilation_height + 1
        let start = min(max(first, 0), window.input_height)
        let rows = max(0, min(end, window.input_height) - start)
        if rowStride == width * pixelStride {
            round(from + start * rowStride, rows * width, pixelStride, channels, rounded)
        } else {
            for row in 0..<rows {
                round(
                    from + (start + row) * rowStride, width, pixelStride, channels, rounded + row * width * words)
            }
        }
        window.input_height = rows
        window.padding_top = start - first
        window.input_pixel_stride = words
        window.input_row_stride = width * words
        patches.window = window
        patches.image_stride = rows * width * words
        patches.image_pixel_count = outputRows.count * window.output_width
        return outputRows.lowerBound * window.output_width
    }
}
