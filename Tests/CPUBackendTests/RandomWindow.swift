import CPUKernels
import Graphs

/// A random window over a random channels-last image whose pixels lie further apart than its channels.
struct RandomWindow: CustomStringConvertible {
    var window: apus_window
    let channels: Int
    let outputHeight: Int
    let input: [Float]
    /// The padding after the image that an average may count.
    let padding: (bottom: Int, right: Int)

    init(_ generator: inout SplitMix64) {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        channels = [1, 2, 3, 7, 16, 31, 32, 33, 70][number(0...8)]
        let (height, width) = (number(1...9), number(1...18))
        let pixelStride = channels + [0, 0, 5][number(0...2)]
        let rowStride = width * pixelStride + [0, 0, 3][number(0...2)]
        let (kernelHeight, kernelWidth) = (number(1...5), number(1...5))
        let (strideHeight, strideWidth) = (number(1...3), number(1...3))
        let (dilationHeight, dilationWidth) = (number(1...2), number(1...2))
        // The padding is less than the kernel, so that every window has a tap on the image or its padding.
        let (top, left) = (number(0...kernelHeight - 1), number(0...kernelWidth - 1))
        padding = (number(0...kernelHeight - 1), number(0...kernelWidth - 1))
        func output(_ extent: Int, _ pads: Int, _ kernel: Int, _ dilation: Int, _ stride: Int) -> Int {
            max(1, (extent + pads - (kernel - 1) * dilation - 1) / stride + 1)
        }
        outputHeight = output(height, top + padding.bottom, kernelHeight, dilationHeight, strideHeight)
        window = apus_window(
            input_height: height, input_width: width, input_row_stride: rowStride, input_pixel_stride: pixelStride,
            output_width: output(width, left + padding.right, kernelWidth, dilationWidth, strideWidth),
            kernel_height: kernelHeight, kernel_width: kernelWidth, stride_height: strideHeight,
            stride_width: strideWidth, dilation_height: dilationHeight, dilation_width: dilationWidth,
            padding_top: top, padding_left: left)
        input = (0..<height * rowStride).map { _ in Float.random(in: -1...1, using: &generator) }
    }

    /// A padded window over an image of some rows, whose pixels lie further apart than its channels.
    init(channels: Int, width: Int, kernel: Int, stride: Int, _ generator: inout SplitMix64) {
        let (height, pad) = (4, kernel / 2)
        let pixelStride = channels + Int.random(in: 0...3, using: &generator)
        self.channels = channels
        padding = (pad, pad)
        outputHeight = (height - 1) / stride + 1
        window = apus_window(
            input_height: height, input_width: width, input_row_stride: width * pixelStride,
            input_pixel_stride: pixelStride, output_width: (width - 1) / stride + 1, kernel_height: kernel,
            kernel_width: kernel, stride_height: stride, stride_width: stride, dilation_height: 1, dilation_width: 1,
            padding_top: pad, padding_left: pad)
        input = (0..<height * width * pixelStride).map { _ in Float.random(in: -1...1, using: &generator) }
    }

    var outputWidth: Int { window.output_width }
    var tapCount: Int { window.kernel_height * window.kernel_width }

    /// The element under a tap; nil outside the image.
    func element(_ y: Int, _ x: Int, tap: Int, _ channel: Int) -> Float? {
        index(y, x, tap: tap, channel).map { input[$0] }
    }

    /// The index of that element; nil outside the image.
    func index(_ y: Int, _ x: Int, tap: Int, _ channel: Int) -> Int? {
        let (row, column) = position(y, x, tap: tap)
        guard (0..<window.input_height).contains(row), (0..<window.input_width).contains(column) else { return nil }
        return row * window.input_row_stride + column * window.input_pixel_stride + channel
    }

    /// The position of a tap relative to the image's first pixel.
    func position(_ y: Int, _ x: Int, tap: Int) -> (row: Int, column: Int) {
        let (ky, kx) = tap.quotientAndRemainder(dividingBy: window.kernel_width)
        return (
            y * window.stride_height - window.padding_top + ky * window.dilation_height,
            x * window.stride_width - window.padding_left + kx * window.dilation_width
        )
    }

    var description: String { "\(channels) channels, \(window)" }
}

/// Whether two lists of numbers are equal up to the rounding of a few hundred float32 operations; NaN is equal to NaN.
func isClose(_ found: [Float], _ expected: [Float]) -> Bool {
    found.count == expected.count
        && zip(found, expected).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN || abs($0 - $1) <= 1e-5 + 1e-5 * abs($1) }
}
