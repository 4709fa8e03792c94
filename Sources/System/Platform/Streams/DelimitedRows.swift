import FoundationEssentials

/// The rows of comma-separated or tab-separated text (RFC 4180). A cell in quotation marks may contain separators, line
/// ends and doubled quotation marks. A byte order mark is skipped.
package struct DelimitedRows {
    /// A row.
    package struct Row {
        /// The number of its first line, from 1.
        package let line: Int
        package let cells: [String]
    }

    /// The maximum size of a row in bytes.
    private static let maximumRowByteCount = 1 << 20

    private let lines: TextLines
    private let separator: UInt8

    package init(_ stream: ByteStream, name: String, separator: Character) {
        lines = TextLines(stream, name: name, maximumLineByteCount: Self.maximumRowByteCount)
        self.separator = separator.asciiValue ?? UInt8(ascii: ",")
    }

    /// The next row that is not empty; nil at the end.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming the line.
    package func next() throws(ApusError) -> Row? {
        while let text = try lines.next() {
            if text.isEmpty { continue }
            return try row(startingWith: text)
        }
        return nil
    }

    private func row(startingWith text: Data) throws(ApusError) -> Row {
        let line = lines.number
        let quote = UInt8(ascii: "\"")
        var cells: [String] = []
        var cell: [UInt8] = []
        var rest = [UInt8](text)[...]
        var byteCount = rest.count
        while true {
            if rest.first == quote {
                rest.removeFirst()
                while true {
                    if let end = rest.firstIndex(of: quote) {
                        cell += rest[..<end]
                        rest = rest[(end + 1)...]
                        guard rest.first == quote else { break }
                        cell.append(quote)
                        rest.removeFirst()
                    } else {
                        cell += rest
                        guard let more = try lines.next() else {
                            throw lines.error(line, "a quotation mark has no end")
                        }
                        cell += lines.lineEnd
                        byteCount += more.count
                        guard byteCount <= Self.maximumRowByteCount else {
                            let limit = Self.maximumRowByteCount
                            throw lines.error(line, "has more than \(limit) bytes; is a quotation mark open?")
                        }
                        rest = [UInt8](more)[...]
                    }
                }
                guard rest.isEmpty || rest.first == separator else {
                    throw lines.error(line, "there is text behind a quotation mark")
                }
            } else {
                let end = rest.firstIndex(of: separator) ?? rest.endIndex
                cell = Array(rest[..<end])
                guard !cell.contains(quote) else {
                    throw lines.error(line, "a quotation mark stands inside a cell without being doubled and quoted")
                }
                rest = rest[end...]
            }
            cells.append(try lines.text(cell, line))
            cell = []
            guard rest.popFirst() != nil else { return Row(line: line, cells: cells) }
        }
    }

    /// An error that names a row's line.
    package func error(_ row: Row, _ message: String) -> ApusError { lines.error(row.line, message) }
}

/// The lines of a text file, numbered, without their ends: a line feed, a carriage return, or both.
package final class TextLines {
    /// The number of the last line given, from 1.
    package private(set) var number = 0
    /// The bytes between the last line given and the one before.
    private(set) var lineEnd: [UInt8] = []
    /// What ended the last line given.
    private var ending: UInt8?

    private let stream: ByteStream
    private let name: String
    private let maximumLineByteCount: Int
    private let separator: UInt8

    /// Starts at the first line of a stream.
    ///
    /// - Parameter separator: The byte that ends a line. Where it is a line feed, a carriage return does, too.
    package init(_ stream: ByteStream, name: String, maximumLineByteCount: Int, separator: UInt8 = UInt8(ascii: "\n")) {
        self.stream = stream
        self.name = name
        self.maximumLineByteCount = maximumLineByteCount
        self.separator = separator
    }

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    /// The next line; nil at the end.
    package func next() throws(ApusError) -> Data? {
        let result: (bytes: Data, separator: UInt8?, isCut: Bool)?
        do throws(ByteStream.Damage) {
            lineEnd = ending.map { [$0] } ?? []
            if ending == Self.carriageReturn, try stream.skip(Self.lineFeed) { lineEnd.append(Self.lineFeed) }
            result = try stream.read(
                to: separator, or: separator == Self.lineFeed ? Self.carriageReturn : nil, atMost: maximumLineByteCount)
        } catch {
            throw error.error(name)
        }
        guard var line = result?.bytes else { return nil }
        number += 1
        ending = result?.separator
        if result?.isCut == true { throw error(number, "has more than \(maximumLineByteCount) bytes") }
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        return line
    }

    /// Bytes of a line as text.
    package func text(_ bytes: some Collection<UInt8>, _ line: Int) throws(ApusError) -> String {
        guard !bytes.contains(0) else { throw error(line, "has a zero byte in it") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw error(line, "is not UTF-8 text") }
        return text
    }

    /// An error that names the line.
    package func error(_ line: Int, _ message: String) -> ApusError {
        .file(path: name, message: "line \(line): \(message)")
    }
}
