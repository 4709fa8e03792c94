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
        #expect(Set(Fixtures.references.resized.compactMap(\.filter)) == Set(ResamplingFilter.allCases.map(\.rawValue)))
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
    @Test(arguments: ResamplingFilter.allCases, 1...9)
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
