import Images
import Testing

/// The ground that files with transparency get where text is read.
@Suite struct GroundTests {
    @Test("Colors with alpha lie on white, as RapidOCR puts them")
    func rule() throws {
        // Black where anything is to be seen.
        try check([[0, 0, 0, 0], [0, 0, 0, 255], [0, 0, 0, 128], [9, 8, 7, 0]], false, [255, 0, 127, 255])
        // Grey with alpha.
        try check([[100, 100, 100, 128], [100, 100, 100, 255], [9, 9, 9, 0]], true, [227, 100, 255])
        // Other colors are inverted.
        try check([[0, 0, 0, 255], [200, 200, 200, 100], [200, 200, 200, 0]], false, [255, 55, 255])
    }

    private func check(_ pixels: [[UInt8]], _ isGrey: Bool, _ expected: [UInt8]) throws {
        var bytes = pixels.flatMap { $0 }
        let size = ImageSize(width: pixels.count, height: 1)
        let image = try Image(onGround: &bytes, size, isGrey: isGrey)
        #expect(image.pixels == expected.flatMap { [$0, $0, $0] })
    }

    @Test("WebP and GIF files are put on the ground that the same PNG file gets")
    func kinds() throws {
        var options = Image.DecodingOptions()
        options.putsOnGround = true
        // A line of black on nothing, whose transparent pixels are black, too: without alpha, all is black.
        for file in ["transparent-text.webp", "transparent-text.gif", "transparent-text-animated.webp"] {
            let data = try Fixtures.data("pictures/\(file)")
            #expect(try Image(decoding: data).pixels.allSatisfy { $0 == 0 }, "\(file)")
            let expected = try Image(decoding: Fixtures.data("pictures/transparent-text.png"), options: options)
            #expect(Set(expected.pixels) == [0, 255])
            #expect(try Image(decoding: data, options: options).pixels == expected.pixels, "\(file)")
        }
    }

    @Test("Only files with alpha are put on a ground", arguments: ["images", "pictures"])
    func files(_ folder: String) throws {
        let plain = ["rgb-8.png", "rgb-8-transparent.png", "animated-rgb.png", "lossy.webp", "grey.gif"]
        let files =
            folder == "pictures"
            ? [
                "animated-0-0.png", "animated-rgb.png", "lossy.webp", "lossy-alpha.webp", "lossless-alpha.webp",
                "grey.gif", "transparent.gif",
            ]
            : ["rgb-8.png", "rgb-8-transparent.png", "rgba-8.png", "grey-alpha-8.png", "palette-8-transparent.png"]
        var options = Image.DecodingOptions()
        options.putsOnGround = true
        for file in files {
            let data = try Fixtures.data("\(folder)/\(file)")
            let (image, onGround) = (try Image(decoding: data), try Image(decoding: data, options: options))
            #expect(image.size == onGround.size)
            #expect((image.pixels == onGround.pixels) == plain.contains(file), "\(file)")
        }
    }
}
