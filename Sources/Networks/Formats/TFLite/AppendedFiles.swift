/// The uncompressed files of a ZIP archive that is appended to a model; metadata writers store labels in this way.
///
/// Reference: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
struct AppendedFiles {
    private let bytes: [UInt8]

    private static let (endByteCount, entryByteCount, headerByteCount) = (22, 46, 30)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    enum Entry {
        case content(ArraySlice<UInt8>)
        case compressed
    }

    /// The file called `name`; nil when there is none.
    func find(_ name: String) -> Entry? {
        guard let end = endRecord, let count = number(end + 10, 2), let size = number(end + 12, 4),
            let offset = number(end + 16, 4), size <= end
        else { return nil }
        // Offsets count from the start of the file, or from that of the archive's first entry.
        let start = end - size
        let shift = start - offset
        var entry = start
        for _ in 0..<count {
            guard matches(entry, [0x50, 0x4B, 1, 2]), let method = number(entry + 10, 2),
                let byteCount = number(entry + 24, 4), let nameCount = number(entry + 28, 2),
                let extra = number(entry + 30, 2), let comment = number(entry + 32, 2),
                let header = number(entry + 42, 4), entry + Self.entryByteCount + nameCount <= bytes.count
            else { return nil }
            let first = entry + Self.entryByteCount
            if bytes[first..<first + nameCount].elementsEqual(name.utf8) {
                let local = header + shift
                guard method == 0 else { return .compressed }
                guard matches(local, [0x50, 0x4B, 3, 4]), let localName = number(local + 26, 2),
                    let localExtra = number(local + 28, 2)
                else { return nil }
                let content = local + Self.headerByteCount + localName + localExtra
                guard content <= bytes.count, byteCount <= bytes.count - content else { return nil }
                return .content(bytes[content..<content + byteCount])
            }
            entry = first + nameCount + extra + comment
        }
        return nil
    }

    /// The offset of the end record, which a comment may follow.
    private var endRecord: Int? {
        let last = bytes.count - Self.endByteCount
        guard last >= 0 else { return nil }
        return stride(from: last, through: max(0, last - 65_535), by: -1).first { matches($0, [0x50, 0x4B, 5, 6]) }
    }

    private func matches(_ position: Int, _ signature: [UInt8]) -> Bool {
        position >= 0 && position <= bytes.count - signature.count
            && bytes[position..<position + signature.count].elementsEqual(signature)
    }

    private func number(_ position: Int, _ size: Int) -> Int? {
        guard position >= 0, position <= bytes.count - size else { return nil }
        return (0..<size).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
    }
}
