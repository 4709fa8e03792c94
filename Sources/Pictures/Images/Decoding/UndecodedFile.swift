/// What files look like that no decoder takes.
enum UndecodedFile {
    /// The name of a kind of picture that is not decoded.
    static func picture(_ file: Bytes) -> String? {
        let signatures: [([UInt8], String)] = [
            ([0x00, 0x00, 0x01, 0x00], "ICO"),
            (Array("8BPS".utf8), "Photoshop"),
            ([0xFF, 0x0A], "JPEG XL"), ([0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "JPEG XL"),
        ]
        return signatures.first { file.starts(with: $0.0) }?.1
    }

    /// A description of content that is no picture.
    static func lookalike(_ file: Bytes) -> String {
        let signatures: [([UInt8], String)] = [
            (Array("version https://git-lfs".utf8), "a Git LFS pointer"),
            (Array("%PDF-".utf8), "PDF"),
            ([0x50, 0x4B, 0x03, 0x04], "a zip archive"),
            ([0x1F, 0x8B], "gzip data"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz data, of which no archive is read (.tar and .tar.gz are)"),
            (Array("BZh".utf8), "bzip2 data, of which no archive is read (.tar and .tar.gz are)"),
            ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data, of which no archive is read (.tar and .tar.gz are)"),
            ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"),
            (Array("\u{93}NUMPY".unicodeScalars.map { UInt8($0.value) }), "a NumPy array"),
        ]
        if let name = signatures.first(where: { file.starts(with: $0.0) })?.1 { return name }
        let start = file.buffer.prefix(512)
        let text = String(decoding: start, as: UTF8.self).lowercased().drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") { return "an HTML page" }
        if text.contains("<svg") { return "SVG" }
        if text.hasPrefix("<?xml") { return "XML" }
        if text.hasPrefix("{") || text.hasPrefix("[") { return "JSON" }
        if start.allSatisfy({ $0 == 0 }) { return "zeros" }
        return start.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) } ? "text" : "unknown data"
    }
}
