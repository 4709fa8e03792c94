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

    private func hexadecimal(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }
}
