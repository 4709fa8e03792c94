import Foundation
import Images
import Testing

/// Pictures of all kinds but plain JPEG and PNG, and Pillow's results, from `Tests/Fixtures/make_picture_fixtures.py`.
@Suite struct PictureKindTests {
    struct Reference: Decodable, Sendable, CustomTestStringConvertible {
        var file: String
        var width: Int
        var height: Int
        var crc32: UInt32
        var frame: Int
        /// The use of color profiles; none where they are ignored.
        var profile: String?
        /// The largest difference of a sample; none where pixels are equal bit for bit.
        var tolerance: Int?
        /// A PNG file with the pixels, where they are compared within a tolerance.
        var reference: String?

        var testDescription: String { "\(file) \(frame)" }
    }

    /// The folder of another collection, as `make parity-pictures` makes it.
    private static let folder =
        ProcessInfo.processInfo.environment["APUS_PICTURES"].map { URL(fileURLWithPath: $0) }
        ?? Fixtures.folder.appendingPathComponent("pictures")

    static let references: [Reference] = {
        do {
            let data = try Data(contentsOf: folder.appendingPathComponent("references.json"))
            return try JSONDecoder().decode([String: [Reference]].self, from: data)["decoded"] ?? []
        } catch {
            fatalError("\(folder.path): \(error)")
        }
    }()

    @Test("Pixels equal Pillow's", arguments: references)
    func equalsPillow(_ expected: Reference) throws {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent(expected.file))
        var options = Image.DecodingOptions()
        options.frame = expected.frame
        options.colorProfile = expected.profile.flatMap(ColorProfileUse.init(rawValue:)) ?? .ignore
        guard let image = try decodedOrSkipped(data, options) else { return }
        #expect(image.size == ImageSize(width: expected.width, height: expected.height))
        #expect(image.warning == nil)
        guard let reference = expected.reference, let tolerance = expected.tolerance else {
            #expect(image.crc32 == expected.crc32)
            return
        }
        let pixels = try Image(decoding: Data(contentsOf: Self.folder.appendingPathComponent(reference))).pixels
        let largest = zip(image.pixels, pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(largest <= tolerance)
        print("\(expected.file): differs by at most \(largest)")
    }
}

extension Image {
    var crc32: UInt32 { ImagesTests.crc32(pixels) }
}

/// The picture; nil when its library is absent, which is printed.
func decodedOrSkipped(_ data: Data, _ options: Image.DecodingOptions = .init()) throws -> Image? {
    do throws(ImageError) {
        return try Image(decoding: data, options: options)
    } catch {
        guard case .missingLibrary = error else { throw error }
        print("skipped: \(error)")
        return nil
    }
}
