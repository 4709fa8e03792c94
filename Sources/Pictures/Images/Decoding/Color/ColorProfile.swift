/// What is done with the color profile of a picture's file.
public enum ColorProfileUse: String, Sendable, CaseIterable {
    /// Pixels are taken as they are stored, as code for training does.
    case ignore
    /// Pixels are converted to sRGB, with perceptual intent.
    case srgb
}

/// An ICC profile of a picture's file.
///
/// Source: ICC.1:2010, section 7.
public struct ColorProfile: Sendable, Equatable {
    /// The content of the profile.
    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The color space that the profile is for, such as `RGB`, `GRAY` or `CMYK`.
    public var colorSpace: String { text(at: 16, count: 4) ?? "unknown" }

    /// The profile's own name; nil where it has none in a form that is read.
    public var name: String? {
        bytes.withUnsafeBytes { buffer in
            let file = Bytes(buffer)
            guard let tagCount = file.integer(at: 128, byteCount: 4) else { return nil }
            for tag in 0..<min(tagCount, 100) where file.starts(with: "desc", at: 132 + 12 * tag) {
                guard let offset = file.integer(at: 136 + 12 * tag, byteCount: 4) else { return nil }
                return file.starts(with: "mluc", at: offset) ? Self.unicode(file, offset) : Self.ascii(file, offset)
            }
            return nil
        }
    }

    private func text(at offset: Int, count: Int) -> String? {
        guard bytes.count >= offset + count else { return nil }
        let text = String(decoding: bytes[offset..<offset + count], as: UTF8.self)
        return text.trimmingSpaces
    }

    private static func ascii(_ file: Bytes, _ offset: Int) -> String? {
        guard let count = file.integer(at: offset + 8, byteCount: 4), count > 1, count < 1000,
            let content = file.slice(offset + 12, count: count - 1)
        else { return nil }
        return String(decoding: content.buffer, as: UTF8.self).trimmingSpaces
    }

    /// The first of the texts in several languages.
    private static func unicode(_ file: Bytes, _ offset: Int) -> String? {
        guard let count = file.integer(at: offset + 20, byteCount: 4), count > 1, count < 2000,
            let place = file.integer(at: offset + 24, byteCount: 4),
            let content = file.slice(offset + place, count: count)
        else { return nil }
        let units = stride(from: 0, to: count - 1, by: 2).map {
            UInt16(content.buffer[$0]) << 8 | UInt16(content.buffer[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self).trimmingSpaces
    }
}

extension String {
    /// The text without zeros, and without spaces at its end.
    fileprivate var trimmingSpaces: String? {
        var scalars = Array(unicodeScalars.filter { $0.value != 0 })
        while scalars.last == " " { scalars.removeLast() }
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }
}
