import Foundation
import Images
import Testing

@Suite struct DamagedFileTests {
    static let files = [
        "color-420.jpg", "progressive.jpg", "restarts.jpg", "ycck-adobe.jpg", "orientation-6.jpg",
        "grey-1.png", "rgb-8.png", "rgb-16-interlaced.png", "palette-8-transparent.png", "orientation-6.png",
    ]

    @Test("A file cut anywhere before its end is an error", arguments: files)
    func truncated(_ file: String) throws {
        let data = try Fixtures.data("images/\(file)")
        for step in 0..<100 {
            let prefix = [UInt8](data.prefix(data.count * step / 100))
            let error = #expect(throws: ImageError.self, "\(prefix.count) of \(data.count) bytes") {
                try Image(decoding: prefix)
            }
            let code = prefix.isEmpty ? "empty" : "truncated"
            #expect(error?.code == code, "\(prefix.count) bytes: \(error?.description ?? "")")
        }
        // Without the last byte, a JPEG still has all data of its pixels.
        let shortened = try? Image(decoding: data.dropLast())
        #expect(shortened?.warning == (file.hasSuffix("jpg") ? "the end marker is missing" : nil))
    }

    @Test("JPEG files that lack no data of pixels are decoded, with a warning", arguments: Fixtures.references.damaged)
    func damaged(_ expected: References.Damage) throws {
        let data = try Fixtures.data(expected.file)
        let image = try Image(decoding: data)
        #expect(image.crc32 == expected.crc32)
        #expect(image.warning == expected.warning)
        var options = Image.DecodingOptions()
        options.acceptsDamage = false
        let error = #expect(throws: ImageError.self) { try Image(decoding: data, options: options) }
        #expect(["truncated", "corrupt"].contains(error?.code))
    }

    @Test("Photos cut anywhere are errors", arguments: ["photos/rocket.jpg", "photos/chelsea.png"])
    func truncatedPhoto(_ file: String) throws {
        let data = try Fixtures.data(file)
        for step in 0..<25 {
            #expect(throws: ImageError.self) { try Image(decoding: data.prefix(data.count * step / 25 + step)) }
        }
    }

    @Test("Flipped bytes give an error or an image", arguments: files)
    func flipped(_ file: String) throws {
        let data = [UInt8](try Fixtures.data("images/\(file)"))
        let seed = UInt64(ProcessInfo.processInfo.environment["APUS_TEST_SEED"] ?? "") ?? .random(in: 0..<1 << 32)
        print("\(file): APUS_TEST_SEED=\(seed)")
        var random = SplitMix64(state: seed)
        let options = Image.DecodingOptions(maximumPixelCount: 1 << 20)
        var errors = 0
        for _ in 0..<600 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            do throws(ImageError) {
                let image = try Image(decoding: damaged, options: options)
                #expect(image.pixels.count == image.width * image.height * 3)
            } catch {
                errors += 1
                #expect(!error.code.isEmpty)
            }
        }
        // Checksums cover every byte of a PNG up to its end. A JPEG has none, but many of its bytes allow only one
        // value.
        #expect(errors > (file.hasSuffix("png") ? 550 : 60), "\(errors) errors with seed \(seed)")
    }

    @Test("Random bytes behind a signature are errors")
    func randomContent() {
        var random = SplitMix64(state: 7)
        for signature: [UInt8] in [[0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]] {
            for length in 0..<400 {
                let bytes = signature + (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                #expect(throws: ImageError.self) { try Image(decoding: bytes) }
            }
        }
    }
}

/// A generator with a seed. Source: https://prng.di.unimi.it/splitmix64.c
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
