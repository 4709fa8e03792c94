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
    private static let filtersOfPillow = ResamplingFilter.allCases.filter { $0 != .linear }

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
