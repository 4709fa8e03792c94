import Foundation
import Images
import Testing

@Suite struct DecodingTests {
    @Test("Pixels equal Pillow's", arguments: Fixtures.references.decoded)
    func equalsPillow(_ expected: References.Result) throws {
        let image = try Fixtures.image(expected.file)
        #expect(image.size == expected.size)
        #expect(crc32(image.pixels) == expected.crc32)
    }

    @Test("Bad files are errors with a code", arguments: Fixtures.references.bad)
    func badFile(_ expected: References.Failure) throws {
        let data = try Fixtures.data(expected.file)
        let error = #expect(throws: ImageError.self) { try Image(decoding: data) }
        #expect(error?.code == expected.code, "\(error?.description ?? "")")
        #expect(error?.description.contains("\n") == false)
    }

    @Test(arguments: [
        ("page.jpg", "HTML"), ("pointer.png", "Git LFS"), ("zeros.png", "zeros"), ("bomb.png", "60000x60000"),
    ])
    func errorNamesTheContent(_ file: String, _ word: String) throws {
        let data = try Fixtures.data("images/bad/\(file)")
        let error = #expect(throws: ImageError.self) { try Image(decoding: data) }
        #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["color-444.jpg", "rgb-8.png"])
    func pixelLimitIsExact(_ file: String) throws {
        let data = try Fixtures.data("images/\(file)")
        let count = 40 * 28
        #expect(try Image(decoding: data, options: .init(maximumPixelCount: count)).width == 40)
        #expect(throws: ImageError.tooLarge(ImageSize(width: 40, height: 28), maximumPixelCount: count - 1)) {
            try Image(decoding: data, options: .init(maximumPixelCount: count - 1))
        }
    }

    @Test func animatedPicturesSaySo() throws {
        let file = [UInt8](try Fixtures.data("images/rgb-8.png"))
        // Two frames, repeated endlessly. The control chunk follows the header of 33 bytes.
        let control = [UInt8]("acTL".utf8) + [0, 0, 0, 2, 0, 0, 0, 0]
        let check = crc32(control)
        let chunk = [0, 0, 0, 8] + control + (0..<4).map { UInt8(truncatingIfNeeded: check >> (24 - 8 * $0)) }
        let still = try Image(decoding: file)
        let animated = try Image(decoding: Array(file[..<33]) + chunk + Array(file[33...]))
        #expect(animated.isFirstOfSeveralFrames)
        #expect(!still.isFirstOfSeveralFrames)
        #expect(animated.pixels == still.pixels)
    }

    @Test func orientationCanBeLeftAlone() throws {
        let plain = try Fixtures.image("images/orientation-1.jpg")
        for orientation in 2...8 {
            let data = try Fixtures.data("images/orientation-\(orientation).jpg")
            #expect(try Image(decoding: data, options: .init(appliesOrientation: false)) == plain)
            #expect(try Image(decoding: data) != plain)
        }
    }

    @Test func reducedDecodingOnlyWhenAsked() throws {
        let data = try Fixtures.data("photos/rocket.jpg")
        let full = try Image(decoding: data)
        func reduced(_ width: Int, _ height: Int) throws -> ImageSize {
            let minimum = ImageSize(width: width, height: height)
            return try Image(decoding: data, options: .init(reducedJPEGSize: minimum)).size
        }
        #expect(full.size == ImageSize(width: 640, height: 427))
        #expect(try reduced(1, 1) == ImageSize(width: 80, height: 54))
        #expect(try reduced(224, 100) == ImageSize(width: 240, height: 161))
        #expect(try reduced(600, 1) == ImageSize(width: 640, height: 427))
        #expect(try reduced(5000, 5000) == full.size)
        // A reduced picture shows the same scene: its mean is close to that of the full one.
        let small = try Image(decoding: data, options: .init(reducedJPEGSize: ImageSize(width: 160, height: 100)))
        func mean(_ image: Image) -> Double {
            Double(image.pixels.reduce(0) { $0 + Int($1) }) / Double(image.pixels.count)
        }
        #expect(abs(mean(small) - mean(full)) < 1)
    }

    @Test func imageChecksItsPixels() throws {
        #expect(throws: ImageError.self) { try Image(width: 2, height: 2, pixels: [1, 2, 3]) }
        #expect(throws: ImageError.self) { try Image(width: 0, height: 2, pixels: []) }
        #expect(throws: ImageError.self) { try Image(width: -1, height: -1, pixels: [1, 2, 3]) }
        #expect(throws: ImageError.self) { try Image(width: .max, height: 2, pixels: []) }
        #expect(try Image(width: 1, height: 1, pixels: [1, 2, 3]).pixels == [1, 2, 3])
    }

    /// Source: Pillow 13.
    @Test("Pixels beyond the color table are black in GIF and BMP, and grey behind a ramp of grey")
    func pixelsBeyondThePalette() throws {
        let gif = try #require(
            Data(base64Encoded: "R0lGODlhBQAEAIAAAKwtIaFRcCH5BAAFAAAALAAAAAAFAAQAAAQP8DR1SAmirXPcgoOBhlYEADs="))
        var expected = [UInt8](repeating: 0, count: 60)
        expected.replaceSubrange(18..<21, with: [161, 81, 112])
        expected.replaceSubrange(48..<51, with: [172, 45, 33])
        #expect(try Image(decoding: gif).pixels == expected)
        func bitmap(_ palette: [[UInt8]], _ indices: [UInt8]) -> [UInt8] {
            func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 255) } }
            let offset = 54 + palette.count * 4
            let header = number(offset + 4) + number(0) + number(offset) + number(40) + number(3) + number(1)
            let format: [UInt8] = [1, 0, 8, 0] + number(0) + number(4) + number(0) + number(0)
            return Array("BM".utf8) + header + format + number(palette.count) + number(0)
                + palette.flatMap { $0 + [0] } + indices + [0]
        }
        let colors: [[UInt8]] = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]
        #expect(try Image(decoding: bitmap(colors, [0, 4, 16])).pixels == [3, 2, 1, 15, 14, 13, 0, 0, 0])
        let ramp = (0..<5).map { [UInt8](repeating: UInt8($0), count: 3) }
        #expect(try Image(decoding: bitmap(ramp, [0, 4, 16])).pixels == [0, 0, 0, 4, 4, 4, 16, 16, 16])
    }
}
