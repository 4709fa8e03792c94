import Platform

/// The sequence of pieces to copy from the files of parts: either each part as a whole, or row by row in the order of
/// the whole list. Ordered rows need one index entry per part in memory. For runs without order, all entries are held
/// in memory and sorted.
struct MergedPieces {
    /// A piece of a part's file.
    struct Piece {
        /// The number of the part, from 0.
        let part: Int
        /// The number of the row in the part; nil for all rows.
        let row: Int?
        let bytes: Range<Int>
    }

    /// The remaining rows of a part.
    private struct Rest {
        let path: String
        /// The bytes of all rows.
        let content: Range<Int>
        var reader: RowIndex.Reader
        /// All rows of a part that is out of order, last first; nil for a part in order.
        var sorted: [RowIndex.Entry]?
        var next: RowIndex.Entry?

        /// Advances to the next row.
        mutating func advance() throws(ApusError) {
            let last = next?.position ?? -1
            next = try sorted != nil ? sorted?.popLast() : reader.next()
            guard let next else { return }
            guard next.position > last, next.bytes.upperBound <= content.upperBound else {
                throw .file(path: RowIndex.path(of: path), message: "is not the index of the rows of \(path)")
            }
        }
    }

    private var contents: ArraySlice<(Int, Range<Int>)> = []
    private var rests: [Rest] = []
    private var isBegun = false
    private var position = 0

    init(_ parts: [RunMerge.Part], contents: [Range<Int>], isOrdered: Bool) {
        guard isOrdered else {
            self.contents = Array(zip(contents.indices, contents))[...]
            return
        }
        rests = zip(parts, contents).map { part, content in
            let reader = RowIndex.Reader(
                output: part.path, start: content.lowerBound, byteCount: part.manifest.index?.byteCounts.first ?? 0,
                pieceByteCount: max(1 << 12, min(1 << 18, (16 << 20) / parts.count)))
            return Rest(
                path: part.path, content: content, reader: reader,
                sorted: part.manifest.identity.options["order"] == "kept" ? nil : [])
        }
    }

    /// The next piece; nil after the last.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    mutating func next() throws(ApusError) -> Piece? {
        if rests.isEmpty { return contents.popFirst().map { Piece(part: $0.0, row: nil, bytes: $0.1) } }
        if !isBegun {
            isBegun = true
            for index in rests.indices {
                if rests[index].sorted != nil {
                    var entries: [RowIndex.Entry] = []
                    while let entry = try rests[index].reader.next() { entries.append(entry) }
                    rests[index].sorted = entries.sorted { $0.position > $1.position }
                }
                try rests[index].advance()
            }
        }
        var first: (part: Int, entry: RowIndex.Entry)?
        for (index, rest) in rests.enumerated() {
            guard let entry = rest.next, entry.position < first?.entry.position ?? .max else { continue }
            first = (index, entry)
            if entry.position == position { break }
        }
        guard let first else { return nil }
        guard first.entry.position == position else {
            throw .file(
                path: RowIndex.path(of: rests[first.part].path),
                message: "no shard has record \(position) of the list")
        }
        position += 1
        try rests[first.part].advance()
        return Piece(part: first.part, row: first.entry.row, bytes: first.entry.bytes)
    }
}
