import CZlib

/// What chunks of a PNG file say about its pixels: EXIF and XMP. The last of a kind counts, as in Pillow.
///
/// Source: PNG specification, third edition, section 11.3.3; for profiles in texts, ImageMagick's `coders/png.c`.
struct PNGMetadata {
    private var exif: Bytes?
    /// EXIF in hexadecimal digits, as ImageMagick and its like write it.
    private var profile: Text?
    private var xmp: Text?

    /// A text, which may be compressed.
    fileprivate struct Text {
        let content: Bytes
        let isCompressed: Bool
    }

    /// Looks at a chunk.
    mutating func add(_ type: String, _ content: Bytes) {
        if type == "eXIf" { exif = content }
        guard ["tEXt", "zTXt", "iTXt"].contains(type), let (keyword, text) = Self.text(type, content) else { return }
        switch keyword {
        case "exif" where type == "tEXt": exif = text.content
        case "Raw profile type exif": profile = text
        case "XML:com.adobe.xmp": xmp = text
        default: break
        }
    }

    var orientation: Orientation {
        let bytes = exif?.copied ?? profile.flatMap { Self.profile($0.bytes) }
        let exif = bytes?.withUnsafeBytes { Orientation(exif: Bytes($0)) }
        return exif ?? xmp?.bytes.withUnsafeBytes { Orientation(xmp: Bytes($0)) } ?? .upright
    }

    private static func text(_ type: String, _ content: Bytes) -> (keyword: String, text: Text)? {
        // A keyword has at most 79 bytes.
        guard let end = content.buffer.prefix(80).firstIndex(of: 0) else { return nil }
        let keyword = String(decoding: content.buffer[..<end], as: UTF8.self)
        var offset = end + 1
        var isCompressed = type == "zTXt"
        if isCompressed { offset += 1 }
        if type == "iTXt" {
            isCompressed = content.byte(offset) != 0
            offset += 2
            // The language, and the keyword in that language.
            for _ in 0..<2 {
                guard let end = content.buffer.dropFirst(offset).firstIndex(of: 0) else { return nil }
                offset = end + 1
            }
        }
        return content.slice(offset, count: content.count - offset).map {
            (keyword, Text(content: $0, isCompressed: isCompressed))
        }
    }

    /// The bytes of a profile, whose digits follow an empty line, its name and its length.
    private static func profile(_ text: [UInt8]) -> [UInt8]? {
        let lines = text.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in lines[3] where !(digit == 0x20 || (0x09...0x0D).contains(digit)) {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(value))
                high = nil
            } else {
                high = UInt8(value)
            }
        }
        return high == nil ? bytes : nil
    }
}

extension PNGMetadata.Text {
    /// The maximum bytes of a decompressed text, as in Pillow.
    private static let maximumByteCount = 1 << 20

    /// The text; nothing when it cannot be decompressed or is too long.
    fileprivate var bytes: [UInt8] {
        guard isCompressed else { return content.copied }
        var stream = z_stream()
        guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return [] }
        defer { inflateEnd(&stream) }
        // zlib does not write to its input.
        stream.next_in = UnsafeMutableRawPointer(mutating: content.buffer.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        stream.avail_in = UInt32(clamping: content.count)
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.maximumByteCount) { buffer, count in
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(buffer.count)
            let code = inflate(&stream, Z_SYNC_FLUSH)
            count = [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(code) ? buffer.count - Int(stream.avail_out) : 0
        }
        return bytes.count < Self.maximumByteCount ? bytes : []
    }
}
