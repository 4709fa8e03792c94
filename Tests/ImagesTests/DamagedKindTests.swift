import Foundation
import Images
import Testing

@Suite struct DamagedKindTests {
    static let files = [
        "lossy-alpha.webp", "lossless.webp", "animated.webp", "palette.gif", "interlaced.gif", "rgb.bmp",
        "palette-4.bmp",
        "runs-8.bmp", "color.ppm", "bits.pbm", "color-text.ppm", "rgb-raw.tif", "rgb-lzw.tif", "rgb-jpeg.tif",
        "tiles.tif",
        "fax-4.tif", "big.tif", "rgb.jp2", "codestream.j2k", "color.heic", "color.avif",
        "color-420.avif", "grid-420.avif",
    ]

    private static func data(_ file: String) throws -> Data { try Fixtures.data("pictures/\(file)") }

    @Test("A file cut anywhere is an error", arguments: files)
    func truncated(_ file: String) throws {
        let data = try Self.data(file)
        guard try decodedOrSkipped(data) != nil else { return }
        for step in 0..<48 {
            // What a file says first does not always tell its kind.
            let prefix = data.prefix(20 + (data.count - 20) * step / 50)
            let error = #expect(throws: ImageError.self, "\(prefix.count) of \(data.count) bytes") {
                try Image(decoding: prefix)
            }
            #expect(["truncated", "corrupt"].contains(error?.code), "\(error?.description ?? "")")
            #expect(error?.description.contains("\n") == false)
        }
    }

    @Test(
        "Files of kinds that are not read are named by what they are",
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xF7, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xFF, 0xDA], "JPEG-LS is not supported"),
            (
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 4] + Array("CgBI".utf8)
                    + [UInt8](repeating: 0, count: 64), "CgBI"
            ),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], "xz data"), (Array("BZh91AY&SY".utf8), "bzip2 data"),
            ([0x28, 0xB5, 0x2F, 0xFD, 4, 0, 1], "Zstandard data"),
        ] as [([UInt8], String)])
    func otherKinds(_ bytes: [UInt8], _ words: String) {
        let error = #expect(throws: ImageError.self) { try Image(decoding: bytes) }
        #expect("\(error as Any)".contains(words))
    }

    @Test("Flipped bytes give an error or an image", arguments: files)
    func flipped(_ file: String) throws {
        let seed = UInt64(ProcessInfo.processInfo.environment["APUS_TEST_SEED"] ?? "") ?? .random(in: 0..<1 << 32)
        print("\(file): APUS_TEST_SEED=\(seed)")
        try flipBytes(of: file, seed)
    }

    @Test(
        "Messages of libraries with line breaks from the file are one line",
        arguments: [("rgb-jpeg.tif", 2_671_982_526), ("big.tif", 2_154_107_219)])
    func lineBreaks(_ file: String, _ seed: UInt64) throws { try flipBytes(of: file, seed) }

    private func flipBytes(of file: String, _ seed: UInt64) throws {
        let data = [UInt8](try Self.data(file))
        var random = SplitMix64(state: seed)
        let options = Image.DecodingOptions(maximumPixelCount: 1 << 20)
        for _ in 0..<150 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 0..<min(damaged.count, 400), using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            do throws(ImageError) {
                let image = try Image(decoding: damaged, options: options)
                #expect(image.pixels.count == image.width * image.height * 3)
            } catch {
                #expect(!error.code.isEmpty && !error.description.contains { $0.isNewline }, "\(error)")
            }
        }
    }

    @Test("The limit of pixels is exact, and is checked before decoding", arguments: files)
    func pixelLimit(_ file: String) throws {
        let data = try Self.data(file)
        guard let image = try decodedOrSkipped(data) else { return }
        let count = image.width * image.height
        #expect(try Image(decoding: data, options: .init(maximumPixelCount: count)) == image)
        #expect(throws: ImageError.tooLarge(image.size, maximumPixelCount: count - 1)) {
            try Image(decoding: data, options: .init(maximumPixelCount: count - 1))
        }
    }

    @Test("What a library says of a file is one line", arguments: ["avif", "heic"])
    func linesOfMessages(_ brand: String) {
        let file = [0, 0, 0, 0x1C] + Array("ftyp\(brand)".utf8) + [UInt8](repeating: 0, count: 16)
        let error = #expect(throws: ImageError.self) { try Image(decoding: file) }
        #expect(error?.description.contains { $0.isNewline } == false)
    }

    @Test func framesAndPagesAreCounted() throws {
        for (file, count) in [
            ("parts.gif", 5), ("pages.tif", 3), ("animated.webp", 3), ("rgb.bmp", 1), ("animated-1-1.png", 4),
        ] {
            let data = try Self.data(file)
            guard try decodedOrSkipped(data) != nil else { continue }
            #expect(try Image.frameCount(of: data) == count)
            var options = Image.DecodingOptions()
            options.frame = count
            #expect(throws: ImageError.self) { try Image(decoding: data, options: options) }
        }
    }

    @Test func reducedCopiesAreNoPages() throws {
        // Two directories without entries of pixels; the second says that it is a reduced copy.
        let file: [UInt8] =
            [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0] + [0, 0, 14, 0, 0, 0]
            + [1, 0, 254, 0, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0] + [0, 0, 0, 0]
        let pages = TIFFPages { $0 + $1 <= file.count ? Array(file[$0..<$0 + $1]) : nil }
        #expect(pages.directories == [0])
        // A directory that follows itself is counted once.
        let circle: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8] + [0, 0, 0, 0, 0, 8]
        #expect(TIFFPages { $0 + $1 <= circle.count ? Array(circle[$0..<$0 + $1]) : nil }.directories == [0])
    }

    @Test("Bytes behind the last box do not matter, and files that are cut before are errors")
    func bytesBehindTheLastBox() throws {
        for file in ["color.heic", "color.avif"] {
            let data = try Self.data(file)
            guard let image = try decodedOrSkipped(data) else { continue }
            let packet = Array("   />\n</x:xmpmeta>\n<?xpacket end=\"w\"?>".utf8)
            for tail in [[0], [0, 0, 0], packet, Array("SEFHk\0\0\0SEFT".utf8), [0, 0, 0, 99] + Array("mdat".utf8)] {
                #expect(try Image(decoding: data + tail) == image)
                #expect(throws: ImageError.self) { try Image(decoding: data.dropLast(tail.count + 1) + tail) }
            }
        }
    }

    @Test("A tag of TIFF that says nothing about the samples may be invalid", arguments: [0, 9, 255])
    func invalidOrientation(_ value: UInt8) throws {
        var data = try Self.data("orientation-6.tif")
        // The entry of the directory: tag 274, a number of 16 bits, one of them.
        let entry = try #require(data.firstRange(of: [0x12, 0x01, 3, 0, 1, 0, 0, 0]))
        data[entry.upperBound] = 1
        guard let upright = try decodedOrSkipped(data) else { return }
        data[entry.upperBound] = value
        let image = try Image(decoding: data)
        #expect(image.pixels == upright.pixels)
        #expect(image.warning?.contains("Orientation") == true)
    }

    @Test func aMissingLibraryIsNamedWithItsPackage() {
        let error = ImageError.missingLibrary(kind: "TIFF", library: "libtiff.so.6", package: "libtiff6")
        #expect("\(error)".contains("libtiff.so.6") && "\(error)".contains("the Debian package libtiff6"))
        #expect(error.code == "missing-library")
    }
}
