/// The input of a convolution as a matrix (im2col): a row for every channel and kernel element, a column for every
/// output position, zeros in the padding.
struct ConvolutionColumns {
    private let window: SpatialWindow.Geometry
    /// The number of columns.
    let count: Int
    /// The number of kernel elements.
    let kernelCount: Int

    /// - Parameter window: A window over three axes.
    init(_ window: SpatialWindow.Geometry) {
        self.window = window
        count = window.output.elementCount
        kernelCount = window.kernel.elementCount
    }

    /// Calls `body` with a panel of the matrix, the position of its first column, and its width, for all panels.
    ///
    /// - Parameter pixels: One image's channels, row-major.
    func forEachPanel(of pixels: [Double], channels: Int, _ body: (UnsafePointer<Double>, Int, Int) -> Void) {
        let width = MatrixProduct.panelWidth
        let area = window.input.elementCount
        var panel = [Double](repeating: 0, count: channels * kernelCount * min(width, count))
        var sources = [Int](repeating: -1, count: width)
        pixels.withUnsafeBufferPointer { pixels in
            panel.withUnsafeMutableBufferPointer { panel in
                guard let start = panel.baseAddress else { return }
                for first in stride(from: 0, to: count, by: width) {
                    let used = min(width, count - first)
                    for element in 0..<kernelCount {
                        locate(element, first..<first + used, &sources)
                        for channel in 0..<channels {
                            let row = start + (channel * kernelCount + element) * used
                            for column in 0..<used {
                                let source = sources[column]
                                row[column] = source < 0 ? 0 : pixels[channel * area + source]
                            }
                        }
                    }
                    body(UnsafePointer(start), first, used)
                }
            }
        }
    }

    /// Finds the input positions in one channel under kernel element `element`, −1 in the padding.
    private func locate(_ element: Int, _ columns: Range<Int>, _ sources: inout [Int]) {
        let (kernel, input, output) = (window.kernel, window.input, window.output)
        let (k0, k1, k2) = (
            element / (kernel[1] * kernel[2]) * window.dilations[0],
            element / kernel[2] % kernel[1] * window.dilations[1], element % kernel[2] * window.dilations[2]
        )
        for (index, column) in columns.enumerated() {
            let d = window.origin(0, column / (output[1] * output[2])) + k0
            let h = window.origin(1, column / output[2] % output[1]) + k1
            let w = window.origin(2, column % output[2]) + k2
            let inside = d >= 0 && d < input[0] && h >= 0 && h < input[1] && w >= 0 && w < input[2]
            sources[index] = inside ? (d * input[1] + h) * input[2] + w : -1
        }
    }
}
