import Images
import Testing

/// Brightness and color in every depth, matrix, range and arrangement, against the formulas of H.273 in float64.
@Suite struct SampleColorsTests {
    struct Case: CustomTestStringConvertible {
        var matrix: Int
        var isFullRange: Bool
        var bits: Int
        /// The columns and rows that share a sample of color.
        var shared: (columns: Int, rows: Int)
        var size: ImageSize

        var testDescription: String {
            "matrix \(matrix), \(isFullRange ? "full" : "limited"), \(bits) bits, \(shared), \(size)"
        }
    }

    /// Matrices, with the shares of red and blue in brightness.
    private static let shares = [
        1: (0.2126, 0.0722), 2: (0.299, 0.114), 4: (0.3, 0.11), 5: (0.299, 0.114), 6: (0.299, 0.114),
        7: (0.212, 0.087), 9: (0.2627, 0.0593),
    ]

    static let cases: [Case] = {
        var cases: [Case] = []
        let sizes = [(1, 1), (2, 2), (7, 5), (8, 6), (33, 16), (16, 33)].map { ImageSize(width: $0.0, height: $0.1) }
        for matrix in [0, 8] + shares.keys.sorted() {
            for isFullRange in [false, true] {
                for bits in [8, 10, 12] {
                    for shared in [(1, 1), (2, 1), (2, 2)] where matrix != 0 || shared.0 == 1 {
                        for size in sizes {
                            cases.append(
                                Case(
                                    matrix: matrix, isFullRange: isFullRange, bits: bits, shared: shared, size: size))
                        }
                    }
                }
            }
        }
        return cases
    }()

    @Test("Colors are the rounded formula, with interpolated samples of color")
    func formula() throws {
        var random = SplitMix64(state: 20_260_301)
        for example in Self.cases { try check(example, &random) }
    }

    private func check(_ example: Case, _ random: inout SplitMix64) throws {
        let (width, height) = (example.size.width, example.size.height)
        let (columns, rows) = example.shared
        let (colorWidth, colorHeight) = ((width + columns - 1) / columns, (height + rows - 1) / rows)
        func samples(_ count: Int) -> [UInt16] {
            (0..<count).map { _ in UInt16(random.next() % (1 << UInt64(example.bits))) }
        }
        let light = samples(width * height)
        let (blue, red) = (samples(colorWidth * colorHeight), samples(colorWidth * colorHeight))
        let colors = try #require(SampleColors(matrix: example.matrix, isFullRange: example.isFullRange))
        let image = converted(example, light, blue, red, colors)
        #expect(image.size == example.size)
        var largest = 0.0
        for row in 0..<height {
            for column in 0..<width {
                let y = Double(light[row * width + column])
                let cb = interpolated(blue, colorWidth, colorHeight, column, row, example)
                let cr = interpolated(red, colorWidth, colorHeight, column, row, example)
                for (channel, value) in expected(y, cb, cr, example).enumerated() {
                    let found = Double(image.pixels[(row * width + column) * 3 + channel])
                    largest = max(largest, abs(found - min(max(value, 0), 255)))
                }
            }
        }
        #expect(largest <= 0.52, "\(example.testDescription): \(largest)")
    }

    private func converted(
        _ example: Case, _ light: [UInt16], _ blue: [UInt16], _ red: [UInt16], _ colors: SampleColors
    ) -> Image {
        let (width, height) = (example.size.width, example.size.height)
        let (columns, rows) = example.shared
        let byteCount = example.bits > 8 ? 2 : 1
        func stored(_ samples: [UInt16]) -> [UInt8] {
            samples.flatMap { byteCount == 1 ? [UInt8($0)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        }
        func plane(_ bytes: UnsafeRawPointer, _ width: Int, _ height: Int) -> SamplePlane {
            SamplePlane(
                bytes, rowStride: width * byteCount, width: width, height: height, sampleByteCount: byteCount)
        }
        let (colorWidth, colorHeight) = ((width + columns - 1) / columns, (height + rows - 1) / rows)
        return stored(light).withUnsafeBytes { light in
            stored(blue).withUnsafeBytes { blue in
                stored(red).withUnsafeBytes { red in
                    guard let light = light.baseAddress, let blue = blue.baseAddress, let red = red.baseAddress else {
                        fatalError("no samples")
                    }
                    var samples = PlanarSamples(plane(light, width, height))
                    samples.colors = (plane(blue, colorWidth, colorHeight), plane(red, colorWidth, colorHeight))
                    (samples.sharesColumns, samples.sharesRows) = (columns == 2, rows == 2)
                    samples.bits = example.bits
                    return samples.image(colors)
                }
            }
        }
    }

    /// A sample of color between those around it, by the distances of their middles.
    private func interpolated(
        _ samples: [UInt16], _ width: Int, _ height: Int, _ column: Int, _ row: Int, _ example: Case
    ) -> Double {
        func places(_ index: Int, _ shared: Int, _ count: Int) -> [(Int, Double)] {
            let place = (Double(index) + 0.5) / Double(shared) - 0.5
            let first = place.rounded(.down)
            return [(Int(first), 1 - (place - first)), (Int(first) + 1, place - first)]
                .map { (min(max($0.0, 0), count - 1), $0.1) }
        }
        var sum = 0.0
        for (y, rowShare) in places(row, example.shared.rows, height) {
            for (x, columnShare) in places(column, example.shared.columns, width) {
                sum += Double(samples[y * width + x]) * rowShare * columnShare
            }
        }
        return sum
    }

    private func expected(_ y: Double, _ cb: Double, _ cr: Double, _ example: Case) -> [Double] {
        let unit = Double(1 << (example.bits - 8))
        let full = Double(1 << example.bits - 1)
        func light(_ value: Double) -> Double {
            example.isFullRange ? value / full * 255 : (value / unit - 16) / 219 * 255
        }
        func color(_ value: Double) -> Double {
            (value - 128 * unit) * 255 / (example.isFullRange ? full : 224 * unit)
        }
        if example.matrix == 0 { return [light(cr), light(y), light(cb)] }
        let (y, cb, cr) = (light(y), color(cb), color(cr))
        if example.matrix == 8 { return [y - cb + cr, y + cb, y - cb - cr] }
        guard let (red, blue) = Self.shares[example.matrix] else { return [] }
        let (r, b) = (y + 2 * (1 - red) * cr, y + 2 * (1 - blue) * cb)
        return [r, (y - red * r - blue * b) / (1 - red - blue), b]
    }

    @Test("Colors are divided by alpha")
    func premultiplied() throws {
        let (light, alpha): ([UInt8], [UInt8]) = ([100, 100, 7, 30, 200], [128, 255, 0, 20, 100])
        let colors = try #require(SampleColors(matrix: 1, isFullRange: true))
        let image = try light.withUnsafeBytes { light in
            try alpha.withUnsafeBytes { alpha in
                let (light, alpha) = (try #require(light.baseAddress), try #require(alpha.baseAddress))
                func plane(_ start: UnsafeRawPointer) -> SamplePlane {
                    SamplePlane(start, rowStride: 5, width: 5, height: 1, sampleByteCount: 1)
                }
                var samples = PlanarSamples(plane(light))
                samples.factors = (plane(alpha), 8)
                return samples.image(colors)
            }
        }
        #expect(image.pixels == [199, 100, 0, 255, 255].flatMap { [$0, $0, $0] })
    }

    @Test("Matrices that are reserved or not linear are not taken")
    func matrices() {
        for matrix in [3, 10, 11, 12, 13, 14, 200] { #expect(SampleColors(matrix: matrix, isFullRange: true) == nil) }
    }
}
