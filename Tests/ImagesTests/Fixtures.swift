import Foundation
import Images
import Testing

/// Files and references made by `Tests/Fixtures/make_image_fixtures.py`.
enum Fixtures {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")

    static func data(_ file: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(file))
    }

    static func image(_ file: String) throws -> Image {
        try Image(decoding: data(file))
    }

    static let references: References = {
        do {
            return try JSONDecoder().decode(References.self, from: data("images/references.json"))
        } catch {
            fatalError("Tests/Fixtures/images/references.json: \(error)")
        }
    }()
}

struct References: Decodable {
    /// Pillow's result for a file.
    struct Result: Decodable, Sendable, CustomTestStringConvertible {
        var file: String
        var width: Int
        var height: Int
        var crc32: UInt32
        var filter: String?
        var bytes: String?
        var name: String?
        var crc32ChannelsFirst: UInt32?

        enum CodingKeys: String, CodingKey {
            case file, width, height, crc32, filter, bytes, name
            case crc32ChannelsFirst = "crc32_channels_first"
        }

        var size: ImageSize { ImageSize(width: width, height: height) }
        var testDescription: String { "\(file) \(filter ?? name ?? "") \(width)x\(height)" }
    }

    struct Failure: Decodable, Sendable, CustomTestStringConvertible {
        var file: String
        var code: String
        var testDescription: String { "\(file) \(code)" }
    }

    /// A damaged file whose pixels are complete.
    struct Damage: Decodable, Sendable, CustomTestStringConvertible {
        var file: String
        var crc32: UInt32
        var warning: String
        var testDescription: String { file }
    }

    var damaged: [Damage]
    var decoded: [Result]
    /// Files of four kinds with orientations in EXIF, XMP and what stands for them.
    var oriented: [Result]
    var resized: [Result]
    var fitted: [Result]
    var preprocessed: [Result]
    var grey: Result
    var bad: [Failure]
}
