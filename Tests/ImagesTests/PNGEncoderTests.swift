import Foundation
import Images
import Testing

@Suite("Encoding PNG files")
struct PNGEncoderTests {
    private let size = ImageSize(width: 3, height: 2)

    @Test("Levels of gray come back as they were")
    func gray() throws {
        let levels: [UInt8] = [0, 1, 127, 128, 254, 255]
        let file = try PNGEncoder.encode(levels, size: size, .gray8, comment: "levels")
        let image = try Image(decoding: file)
        #expect(image.size == size && image.pixels == levels.flatMap { [$0, $0, $0] })
        #expect(file.range(of: Data("Comment\0levels".utf8)) != nil)
        // The comment stands before the pixels.
        #expect((file.range(of: Data("levels".utf8))?.upperBound ?? .max) == PNGEncoder.beginning(commentByteCount: 6))
    }

    @Test("Numbers of classes have the colors of PASCAL VOC")
    func indices() throws {
        let file = try PNGEncoder.encode(
            [0, 1, 2, 15, 20, 255], size: size, .indices(palette: Preprocessing.Color.ofClasses), comment: "")
        let colors: [[UInt8]] = [
            [0, 0, 0], [128, 0, 0], [0, 128, 0], [192, 128, 128], [0, 64, 128], [224, 224, 192],
        ]
        #expect(try Image(decoding: file).pixels == colors.flatMap(\.self))
    }

    @Test("Levels of 16 bits keep their upper byte where pictures have 8")
    func wide() throws {
        let bytes: [UInt8] = [0, 0, 1, 0, 127, 255, 128, 0, 254, 1, 255, 255]
        let image = try Image(decoding: PNGEncoder.encode(bytes, size: size, .gray16, comment: ""))
        #expect(stride(from: 0, to: 18, by: 3).map { image.pixels[$0] }.last == 255)
        #expect(image.size == size && image.pixels.first == 0)
    }

    @Test("Too few or too many bytes are refused")
    func refused() {
        for count in [0, 5, 7] {
            #expect(throws: ImageError.self) {
                try PNGEncoder.encode([UInt8](repeating: 0, count: count), size: size, .gray8, comment: "")
            }
        }
    }
}
