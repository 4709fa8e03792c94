extension String {
    /// The lines of a text from outside, without their ends: `\n`, `\r\n` or `\r`. What follows the last end is a line
    /// unless it is empty. A byte order mark at the beginning belongs to no line.
    ///
    /// Swift takes `\r\n` for one `Character`, which neither `"\n"` nor `"\r"` is equal to.
    package var textLines: [String] {
        let bytes = utf8
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var lines: [String] = []
        var start = bytes.starts(with: mark) ? bytes.index(bytes.startIndex, offsetBy: mark.count) : bytes.startIndex
        var index = start
        while index < bytes.endIndex {
            let byte = bytes[index]
            var next = bytes.index(after: index)
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                lines.append(String(self[start..<index]))
                let isPair = byte == UInt8(ascii: "\r") && next < bytes.endIndex && bytes[next] == UInt8(ascii: "\n")
                if isPair { next = bytes.index(after: next) }
                start = next
            }
            index = next
        }
        if start < bytes.endIndex { lines.append(String(self[start...])) }
        return lines
    }

    /// The beginning of a path up to its last slash, which belongs to it; empty for a name alone.
    package var pathOfFolder: String {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[..<utf8.index(after: $0)]) } ?? ""
    }
}

extension StringProtocol {
    /// The parts of a path between slashes.
    ///
    /// Swift takes a slash and a combining mark behind it for one `Character`, which is not equal to `"/"`.
    package func pathParts(omittingEmpty: Bool = true) -> [SubSequence] {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: omittingEmpty)
            .map { self[$0.startIndex..<$0.endIndex] }
    }

    /// Whether a path begins at the root.
    package var isAbsolutePath: Bool { utf8.first == UInt8(ascii: "/") }
}
