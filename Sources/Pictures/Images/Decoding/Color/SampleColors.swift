/// How samples of brightness and color become red, green and blue: a linear map of each pixel's three samples.
///
/// Source: ITU-T H.273, section 8.3.
package struct SampleColors: Sendable {
    /// Red, green and blue (rows) from brightness, blueness and redness (columns), each without its offset.
    private let map: [[Double]]
    /// Whether samples use all values, and not those that analog video left for them.
    private let isFullRange: Bool
    /// Whether samples of color are blue and red themselves, rather than differences.
    private let isDirect: Bool

    /// - Parameter matrix: The matrix coefficients of H.273.
    /// - Returns: Nil where these are reserved, or no matrix of samples.
    package init?(matrix: Int, isFullRange: Bool) {
        self.isFullRange = isFullRange
        isDirect = matrix == 0
        // The shares of red and of blue in brightness.
        let (red, blue): (Double, Double)
        switch matrix {
        case 0:
            map = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
            return
        case 8:
            map = [[1, -1, 1], [1, 1, 0], [1, -1, -1]]
            return
        case 1: (red, blue) = (0.2126, 0.0722)
        case 4: (red, blue) = (0.3, 0.11)
        // What is not specified is taken for BT.601, as by libavif.
        case 2, 5, 6: (red, blue) = (0.299, 0.114)
        case 7: (red, blue) = (0.212, 0.087)
        case 9: (red, blue) = (0.2627, 0.0593)
        default: return nil
        }
        let green = 1 - red - blue
        map = [
            [1, 0, 2 * (1 - red)], [1, -2 * blue * (1 - blue) / green, -2 * red * (1 - red) / green],
            [1, 2 * (1 - blue), 0],
        ]
    }

    /// Samples that are green, blue and red themselves.
    static let colors = SampleColors()

    private init() {
        map = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
        (isFullRange, isDirect) = (true, true)
    }

    /// The map in fixed point, for samples of a depth: brightness as it is, and color in sixteenths.
    struct Fixed {
        static let shift: Int32 = 21

        private(set) var factors: [Int32] = []
        /// What is added to red, green and blue, with a half for rounding.
        private(set) var offsets: [Int32] = []
        let greyFactor: Int32
        let greyOffset: Int32

        fileprivate init(_ colors: SampleColors, bits: Int) {
            let unit = Double(1 << (bits - 8))
            let full = Double(1 << bits - 1)
            let (start, range) = colors.isFullRange ? (0, full) : (16 * unit, 219 * unit)
            let (middle, width) =
                colors.isDirect ? (start, range) : (128 * unit, colors.isFullRange ? full : 224 * unit)
            let one = Double(1 << Self.shift)
            greyFactor = Int32((255 / range * one).rounded())
            greyOffset = Int32((one / 2 - 255 / range * start * one).rounded())
            for row in colors.map {
                let scaled = [row[0] * 255 / range, row[1] * 255 / width / 16, row[2] * 255 / width / 16]
                factors += scaled.map { Int32(($0 * one).rounded()) }
                let offset = scaled[0] * start + (scaled[1] + scaled[2]) * middle * 16
                offsets.append(Int32((one / 2 - offset * one).rounded()))
            }
        }
    }

    /// - Parameter bits: The depth of samples, from 8 to 16.
    func fixed(bits: Int) -> Fixed { Fixed(self, bits: bits) }
}

/// A plane of samples of 8 bits, or of up to 16 in two bytes, row after row.
package struct SamplePlane {
    let start: UnsafeRawPointer
    /// The bytes from a row to the next, and from a sample to the next.
    let rowStride: Int
    let columnStride: Int
    let width: Int
    let height: Int

    /// - Parameter step: The distance of the samples that count, where the others repeat them.
    package init(
        _ start: UnsafeRawPointer, rowStride: Int, width: Int, height: Int, sampleByteCount: Int,
        columnStep: Int = 1, rowStep: Int = 1
    ) {
        (self.start, self.rowStride, columnStride) = (start, rowStride * rowStep, sampleByteCount * columnStep)
        (self.width, self.height) = ((width - 1) / columnStep + 1, (height - 1) / rowStep + 1)
    }

    func row(_ index: Int) -> UnsafeRawPointer { start + index * rowStride }
}
