import Foundation
import Images
import Testing

@Suite struct ResizingTests {
    @Test("Resized pixels equal Pillow's", arguments: Fixtures.references.resized)
    func equalsPillow(_ expected: References.Result) throws {
        let image = try Fixtures.image(expected.file)
        let filter = try #require(expected.filter.flatMap(ResamplingFilter.init(rawValue:)))
        let resized = try image.resized(to: expected.size, filter: filter)
        #expect(resized.size == expected.size)
        if let bytes = expected.bytes {
            let reference = hexadecimal(bytes)
            let difference = zip(resized.pixels, reference).map { abs(Int($0) - Int($1)) }.max()
            #expect(reference.count == resized.pixels.count)
            #expect(difference == 0, "the largest difference")
        }
        #expect(crc32(resized.pixels) == expected.crc32)
    }

    @Test func everyFilterIsCovered() {
        #expect(Set(Fixtures.references.resized.compactMap(\.filter)) == Set(Self.filtersOfPillow.map(\.rawValue)))
    }

    /// All filters but OpenCV's.
    private static let filtersOfPillow = ResamplingFilter.allCases.filter {
        ![.linear, .cubic, .lanczos4, .area].contains($0)
    }

    /// Made by `zlib.crc32(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_LINEAR))` of OpenCV 5.0.0.
    @Test(
        "Linear interpolation equals OpenCV's",
        arguments: [
            ("photos/rocket.jpg", 320, 213, 0xBE38_6642), ("photos/rocket.jpg", 416, 277, 0xDA5A_8124),
            ("photos/rocket.jpg", 1287, 855, 0x17A4_BFD7), ("photos/rocket.jpg", 33, 400, 0x5894_ABE9),
            ("photos/chelsea.png", 320, 213, 0x6EB9_5A0D), ("photos/chelsea.png", 100, 100, 0xB467_E568),
            ("photos/coffee.png", 300, 200, 0x6957_BFB1), ("photos/coffee.png", 1207, 801, 0x5294_91DD),
            ("images/rgb-8.png", 416, 277, 0x3FD7_96CF), ("images/rgb-8.png", 20, 14, 0x30C8_3947),
            ("images/rgb-8.png", 87, 57, 0x4D8D_C609), ("images/rgb-8.png", 33, 400, 0x2C7B_3F43),
        ] as [(String, Int, Int, UInt32)])
    func equalsOpenCV(_ file: String, _ width: Int, _ height: Int, _ checksum: UInt32) throws {
        let size = ImageSize(width: width, height: height)
        #expect(crc32(try Fixtures.image(file).resized(to: size, filter: .linear).pixels) == checksum)
    }

    /// Made by `zlib.crc32(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA))` of OpenCV 5.0.0.
    @Test(
        "Areas equal OpenCV's, also where an edge grows",
        arguments: [
            ("images/rgb-8.png", 6, 37, 0x40C7_AF9D), ("images/rgb-8.png", 87, 17, 0xB7ED_F8C4),
            ("images/rgb-8.png", 28, 30, 0x1A93_E826), ("images/rgb-8.png", 72, 26, 0xDFF2_9CD9),
            ("images/rgb-8.png", 22, 33, 0xB661_86F3), ("images/rgb-8.png", 100, 26, 0x893C_F34A),
            ("images/rgb-8.png", 39, 70, 0xEB5B_D4F4), ("images/rgb-8.png", 52, 14, 0x83A9_C1C0),
            ("images/rgb-8.png", 58, 46, 0x4572_BACE), ("photos/chelsea.png", 448, 394, 0x1104_57BD),
            ("photos/chelsea.png", 622, 236, 0xF05D_BD11), ("photos/chelsea.png", 563, 501, 0xB584_28C2),
            ("photos/rocket.jpg", 294, 666, 0x6447_A15F), ("photos/rocket.jpg", 1210, 234, 0x3598_0C20),
            ("photos/rocket.jpg", 1268, 845, 0x0463_2210),
            ("images/rgb-8.png", 6, 6, 0xC141_2B16), ("images/rgb-8.png", 13, 16, 0xE741_4E76),
            ("images/rgb-8.png", 33, 14, 0x469A_F693), ("images/rgb-8.png", 40, 10, 0xB954_1226),
            ("images/rgb-8.png", 38, 17, 0x8F28_8A13), ("images/rgb-8.png", 29, 7, 0xB74F_5E97),
            ("images/rgb-8.png", 24, 23, 0x23D4_1916), ("images/rgb-8.png", 36, 25, 0xBEDE_44A3),
            ("images/rgb-8.png", 39, 4, 0x0B99_1152), ("images/rgb-8.png", 32, 14, 0xA026_C5F4),
            ("images/rgb-8.png", 28, 8, 0xC3A8_BA7D), ("images/rgb-8.png", 1, 3, 0x443A_0B0F),
        ] as [(String, Int, Int, UInt32)])
    func equalsOpenCVAreas(_ file: String, _ width: Int, _ height: Int, _ checksum: UInt32) throws {
        let size = ImageSize(width: width, height: height)
        #expect(crc32(try Fixtures.image(file).resized(to: size, filter: .area).pixels) == checksum)
    }

    @Test(arguments: [(0, 5), (5, 0), (-1, 5), (Int.max, Int.max), (1 << 20, 1 << 20)])
    func absurdSizesAreErrors(_ width: Int, _ height: Int) throws {
        let image = try Fixtures.image("images/rgb-8.png")
        for filter in ResamplingFilter.allCases {
            #expect(throws: ImageError.self) {
                try image.resized(to: ImageSize(width: width, height: height), filter: filter)
            }
        }
    }

    /// Rows and columns are resized by different code to the same numbers.
    @Test(arguments: filtersOfPillow, 1...9)
    func rowsAndColumnsAgree(_ filter: ResamplingFilter, _ width: Int) throws {
        for (height, target) in [(1, 1), (2, 5), (3, 7), (5, 2), (4, 11), (1, 40)] {
            // Bytes of a linear congruential generator, seeded by the extents.
            var state = UInt32(truncatingIfNeeded: width * 100 + height * 10 + target)
            let pixels = (0..<width * height * 3).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: state >> 24)
            }
            let image = try Image(width: width, height: height, pixels: pixels)
            let wide = try image.resized(to: ImageSize(width: target, height: height), filter: filter)
            let tall = try transposed(image).resized(to: ImageSize(width: height, height: target), filter: filter)
            #expect(wide.pixels == (try transposed(tall)).pixels, "\(width)x\(height) to \(target)")
        }
    }

    private func transposed(_ image: Image) throws -> Image {
        var pixels: [UInt8] = []
        for column in 0..<image.width {
            for row in 0..<image.height {
                let start = (row * image.width + column) * 3
                pixels += image.pixels[start..<start + 3]
            }
        }
        return try Image(width: image.height, height: image.width, pixels: pixels)
    }

    private func hexadecimal(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }
}

/// OpenCV's filters over several pixels. Numbers are those of `cv2.resize` of OpenCV 5.0.
@Suite("OpenCV's cubic, Lanczos and area filters")
struct OpenCVFilterTests {
    struct Reference: Sendable, CustomTestStringConvertible {
        let filter: ResamplingFilter
        let width, height, sum: Int
        let first, middle, last: [Int]
        let red: [Int]

        var testDescription: String { "\(filter) to \(width)x\(height)" }

        init(
            _ filter: ResamplingFilter, _ width: Int, _ height: Int, _ sum: Int, _ first: [Int], _ middle: [Int],
            _ last: [Int], _ red: [Int]
        ) {
            (self.filter, self.width, self.height, self.sum) = (filter, width, height, sum)
            (self.first, self.middle, self.last, self.red) = (first, middle, last, red)
        }
    }

    static let references = [
        Reference(
            .cubic, 7, 5, 12740, [25, 38, 42], [148, 114, 24], [170, 0, 141],
            [25, 120, 234, 42, 132, 240, 58, 58, 152, 208, 75, 164]),
        Reference(
            .cubic, 29, 31, 321_717, [0, 0, 40], [148, 114, 24], [0, 109, 247],
            [0, 11, 35, 57, 80, 99, 124, 142, 166, 189, 236, 177]),
        Reference(
            .cubic, 9, 31, 100_535, [13, 0, 40], [148, 114, 24], [91, 97, 219],
            [13, 87, 158, 204, 40, 108, 178, 73, 67, 13, 88, 158]),
        Reference(
            .lanczos4, 7, 5, 12832, [26, 39, 42], [148, 114, 24], [165, 0, 158],
            [26, 119, 242, 42, 135, 244, 69, 59, 150, 219, 75, 154]),
        Reference(
            .lanczos4, 29, 31, 321_670, [0, 0, 40], [148, 114, 24], [0, 117, 241],
            [0, 11, 35, 58, 79, 100, 124, 146, 154, 192, 241, 178]),
        Reference(
            .lanczos4, 9, 31, 100_337, [13, 0, 40], [148, 114, 24], [88, 106, 207],
            [13, 86, 150, 204, 40, 109, 169, 72, 78, 13, 86, 151]),
        Reference(
            .area, 7, 5, 12525, [32, 44, 43], [150, 115, 109], [130, 110, 132],
            [32, 119, 181, 44, 133, 164, 56, 65, 152, 156, 76, 165]),
        Reference(
            .area, 29, 31, 321_507, [0, 0, 40], [148, 114, 24], [0, 100, 232],
            [0, 11, 37, 59, 74, 107, 118, 148, 165, 185, 213, 209]),
        Reference(
            .area, 9, 31, 99649, [17, 0, 40], [139, 110, 77], [103, 85, 204],
            [17, 72, 144, 215, 31, 103, 175, 96, 63, 17, 72, 144]),
    ]

    private static func picture() throws -> Image {
        var pixels: [UInt8] = []
        for y in 0..<13 {
            for x in 0..<17 {
                pixels += [(x * 37 + y * y * 3) % 256, (y * 51 + x * x) % 256, (x * y * 5 + 40) % 256].map { UInt8($0) }
            }
        }
        return try Image(width: 17, height: 13, pixels: pixels)
    }

    @Test("Pixels are OpenCV's within 1", arguments: references)
    func pixels(_ reference: Reference) throws {
        let size = ImageSize(width: reference.width, height: reference.height)
        let result = try Self.picture().resized(to: size, filter: reference.filter)
        let pixels = result.pixels.map { Int($0) }
        func near(_ start: Int, _ expected: [Int], stride: Int = 1) -> Bool {
            expected.indices.allSatisfy { abs(pixels[start + $0 * stride] - expected[$0]) <= 1 }
        }
        #expect(near(0, reference.first) && near(pixels.count - 3, reference.last))
        #expect(near((reference.height / 2 * reference.width + reference.width / 2) * 3, reference.middle))
        #expect(near(0, reference.red, stride: 3))
        #expect(abs(pixels.reduce(0, +) - reference.sum) <= pixels.count / 15)
    }

    @Test("A window has the pixels of the whole", arguments: [ResamplingFilter.cubic, .lanczos4, .area])
    func window(_ filter: ResamplingFilter) throws {
        let size = ImageSize(width: 9, height: 40)
        let whole = try Self.picture().resized(to: size, filter: filter).pixels
        var steps = Preprocessing(.fill, to: size, filter: filter)
        steps.crop = ImageSize(width: 5, height: 22)
        let part = try steps.tensor(from: Self.picture()).elements(as: Float.self)
        for y in 0..<22 {
            for x in 0..<5 {
                for channel in 0..<3 {
                    #expect(part[(channel * 22 + y) * 5 + x] == Float(whole[((y + 9) * 9 + x + 2) * 3 + channel]))
                }
            }
        }
    }
}
