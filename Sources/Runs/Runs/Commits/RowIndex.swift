import Platform

/// The positions in the whole list and the lengths of the rows of a shard's output. The file `OUTPUT.run.rows` has one
/// line per row, in the order of the rows.
///
///     17 212      the record is the 18th of the list, its row takes 212 bytes
///
/// For an array, the lengths are those of the lines in the file that names its records.
struct RowIndex {
    /// A line.
    struct Entry {
        /// The number of the row in the output, from 0.
        let row: Int
        /// The record's position in the list, from 0.
        let position: Int
        /// The byte range of the row in the file.
        let bytes: Range<Int>
    }

    /// The path of the index of an output.
    static func path(of output: String) -> String { output + SideFileSuffix.rowIndex }

    private let file: RowFile
    private var waiting = ""

    /// Opens the index of a target, to append after its committed lines.
    init(_ target: SinkTarget, committed: SinkCheckpoint?) throws(OutputError) {
        var index = SinkTarget(path: target.path.map { Self.path(of: $0) }, checkpoint: committed)
        index.calls = target.calls
        file = try index.file()
    }

    /// Adds a row, which is written with the next commit.
    mutating func add(position: Int, byteCount: Int) { waiting += "\(position) \(byteCount)\n" }

    /// Synchronizes all rows to the disk.
    mutating func commit() throws(OutputError) -> SinkCheckpoint {
        if !waiting.isEmpty { try file.write(waiting) }
        waiting = ""
        return try file.commit()
    }

    /// Closes the file.
    func close() throws(OutputError) { try file.close() }
}

extension RowIndex {
    /// Reads the lines of an index.
    struct Reader {
        private let path: String
        private var place: Int
        private var row = 0
        private let byteCount: Int
        private let pieceByteCount: Int
        private var offset = 0
        private var lines: ArraySlice<UInt8> = []

        /// - Parameters:
        ///   - start: The byte offset of the first row in the output's file.
        ///   - byteCount: The length of the index.
        init(output: String, start: Int, byteCount: Int, pieceByteCount: Int) {
            path = RowIndex.path(of: output)
            place = start
            self.byteCount = byteCount
            self.pieceByteCount = pieceByteCount
        }

        /// The next line; nil after the last.
        ///
        /// - Throws: ``ApusError/file(path:message:)``.
        mutating func next() throws(ApusError) -> Entry? {
            while true {
                if let end = lines.firstIndex(of: UInt8(ascii: "\n")) {
                    let numbers = String(decoding: lines[..<end], as: UTF8.self).split(separator: " ").map { Int($0) }
                    lines = lines[(end + 1)...]
                    guard numbers.count == 2, let position = numbers[0], let count = numbers[1], position >= 0,
                        count >= 0
                    else { throw damaged }
                    let (end, overflow) = place.addingReportingOverflow(count)
                    guard !overflow else { throw damaged }
                    defer {
                        place = end
                        row += 1
                    }
                    return Entry(row: row, position: position, bytes: place..<end)
                }
                guard offset < byteCount else {
                    guard lines.isEmpty else { throw damaged }
                    return nil
                }
                // A line has two numbers.
                guard lines.count < 64 else { throw damaged }
                let piece = try FileContent.read(path, from: offset, count: min(pieceByteCount, byteCount - offset))
                guard !piece.isEmpty else { throw damaged }
                offset += piece.count
                lines = ArraySlice(Array(lines) + piece)
            }
        }

        private var damaged: ApusError { .file(path: path, message: "is not the index of rows that its run wrote") }
    }
}
