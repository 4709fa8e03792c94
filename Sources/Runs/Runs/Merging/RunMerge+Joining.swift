import FoundationEssentials
import Platform
import Predicting

extension RunMerge {
    /// Writes the rows of all parts.
    ///
    /// - Returns: The checkpoint at the end of the output.
    package func join(into path: String, isOrdered: Bool) throws -> SinkCheckpoint {
        switch format {
        case SinkKind.jsonLines.name, SinkKind.table.name, SinkKind.plainText.name:
            let contents = try parts.map { 0..<(try RunManifest.size(of: $0.path)) }
            return try joinFiles(path, contents, isOrdered)
        case SinkKind.csv.name:
            let heading = try Self.heading(of: parts[0].path)
            for part in parts where try FileContent.read(part.path, from: 0, count: heading.count) != heading {
                throw ApusError.usage("\(part.path): has other columns than \(parts[0].path)")
            }
            let contents = try parts.map { heading.count..<(try RunManifest.size(of: $0.path)) }
            return try joinFiles(path, contents, isOrdered, heading: Array(heading))
        case SinkKind.hOCR.name:
            let (heading, end) = (Array(HOCRDocument.beginning.utf8), Array(HOCRDocument.end.utf8))
            let contents = try parts.map { part in
                heading.count..<max(heading.count, try RunManifest.size(of: part.path) - end.count)
            }
            return try joinFiles(path, contents, isOrdered, heading: heading, ending: end)
        case SinkKind.coco.name, SinkKind.labelStudio.name: return try joinObjects(path, isOrdered)
        case SinkKind.numPy.name: return try joinArrays(path, isOrdered)
        case SinkKind.sqlite.name: return try SQLiteMerge.join(parts.map(\.path), into: path, isOrdered: isOrdered)
        default: throw ApusError.usage("\(parts[0].path): outputs in the format \(format) cannot be merged")
        }
    }

    /// The first line of a file.
    private static func heading(of path: String) throws(ApusError) -> Data {
        var count = 1 << 12
        while true {
            let beginning = try FileContent.read(path, from: 0, count: count)
            if let end = beginning.firstIndex(of: UInt8(ascii: "\n")) { return beginning.prefix(end + 1) }
            guard beginning.count == count else { return beginning }
            count *= 2
        }
    }

    /// Concatenates rows.
    private func joinFiles(
        _ path: String, _ contents: [Range<Int>], _ isOrdered: Bool, heading: [UInt8] = [], ending: [UInt8] = [],
        suffix: String = ""
    ) throws -> SinkCheckpoint {
        try write(path + suffix) { file in
            try file.write(bytes: heading)
            var pieces = pieces(contents, isOrdered: isOrdered)
            var files = PartFiles(parts.map { $0.path + suffix })
            while let piece = try pieces.next() { try files.copy(piece.bytes, of: piece.part, to: file) }
            try file.write(bytes: ending)
            return file.checkpoint()
        }
    }

    /// Joins objects into one list. Each piece begins with the separator from the previous object.
    private func joinObjects(_ path: String, _ isOrdered: Bool) throws -> SinkCheckpoint {
        let contents = try parts.map { part in
            let isEmpty = part.manifest.checkpoint.state["objects"] ?? 0 == 0
            let end = try RunManifest.size(of: part.path) - COCOSink.end(isEmpty: isEmpty).utf8.count
            return 0..<max(0, end)
        }
        return try write(path) { file in
            var pieces = pieces(contents, isOrdered: isOrdered)
            var files = PartFiles(parts.map(\.path))
            var isEmpty = true
            while let piece = try pieces.next() {
                let separator = COCOSink.separator(isFirst: isEmpty)
                guard piece.bytes.count > separator.utf8.count else { continue }
                try file.write(separator)
                try files.copy(piece.bytes.dropFirst(separator.utf8.count), of: piece.part, to: file)
                isEmpty = false
            }
            try file.write(COCOSink.end(isEmpty: isEmpty))
            return file.checkpoint(state: ["objects": isEmpty ? 0 : 1])
        }
    }

    /// Concatenates the rows of arrays, and those of the files that name their records.
    private func joinArrays(_ path: String, _ isOrdered: Bool) throws -> SinkCheckpoint {
        let headers = try parts.map { try NumPySink.header(of: $0.path) }
        let (rowShape, elementType) = (Array(headers[0].shape.dropFirst()), headers[0].elementType)
        var rowCount = 0
        var lengths: [Int] = []
        for (part, header) in zip(parts, headers) {
            guard Array(header.shape.dropFirst()) == rowShape, header.elementType == elementType else {
                throw ApusError.usage("\(part.path): its rows have another shape or type")
            }
            let (count, byteCount) = (
                header.shape.first ?? 0, try RunManifest.size(of: part.path) - NumPySink.headerByteCount
            )
            guard count == part.manifest.rows.finished.count,
                byteCount == NumPySink.byteCount(rows: count, of: rowShape, elementType)
            else {
                throw ApusError.file(
                    path: part.path, message: "is an array of \(count) rows of \(rowShape) in \(byteCount) bytes")
            }
            lengths.append(count > 0 ? byteCount / count : 0)
            rowCount += count
        }
        let lists = try parts.map { 0..<(try RunManifest.size(of: $0.path + NumPySink.recordsSuffix)) }
        var checkpoint = try write(path) { file in
            try file.write(bytes: NumPySink.header(rows: rowCount, of: rowShape, elementType))
            var pieces = pieces(lists, isOrdered: isOrdered)
            var files = PartFiles(parts.map(\.path))
            while let piece = try pieces.next() {
                let length = lengths[piece.part]
                let rows = piece.row.map { $0..<$0 + 1 } ?? 0..<parts[piece.part].manifest.rows.finished.count
                let bytes = rows.lowerBound * length..<rows.upperBound * length
                let start = NumPySink.headerByteCount
                try files.copy(bytes.lowerBound + start..<bytes.upperBound + start, of: piece.part, to: file)
            }
            return file.checkpoint(state: ["rows": rowCount])
        }
        let records = try joinFiles(path, lists, isOrdered, suffix: NumPySink.recordsSuffix)
        checkpoint.byteCounts += records.byteCounts
        checkpoint.checksums = (checkpoint.checksums ?? []) + (records.checksums ?? [])
        return checkpoint
    }

    private func pieces(_ contents: [Range<Int>], isOrdered: Bool) -> MergedPieces {
        MergedPieces(parts, contents: contents, isOrdered: isOrdered)
    }

    private func write(
        _ path: String, _ body: (RowFile) throws -> SinkCheckpoint
    ) throws -> SinkCheckpoint {
        var checkpoint = SinkCheckpoint()
        try OutputFile.replace(path) { output in
            let file = RowFile(output)
            checkpoint = try body(file)
            try file.synchronize()
        }
        return checkpoint
    }
}

/// The source files of pieces. Adjacent pieces are read together.
private struct PartFiles {
    private static let maximumBufferBytes = 64 << 20
    private let paths: [String]
    private let bufferByteCount: Int
    private var buffers: [(start: Int, bytes: [UInt8])]

    init(_ paths: [String]) {
        self.paths = paths
        bufferByteCount = max(1 << 12, min(1 << 20, Self.maximumBufferBytes / max(1, paths.count)))
        buffers = paths.map { _ in (0, []) }
    }

    /// Copies bytes of a file.
    mutating func copy(_ range: Range<Int>, of index: Int, to file: RowFile) throws {
        var start = range.lowerBound
        while start < range.upperBound {
            var (first, bytes) = buffers[index]
            if !(first..<first + bytes.count).contains(start) {
                (first, bytes) = (start, Array(try FileContent.read(paths[index], from: start, count: bufferByteCount)))
                guard !bytes.isEmpty else {
                    throw ApusError.file(path: paths[index], message: "became shorter while it was read")
                }
                buffers[index] = (first, bytes)
            }
            let end = min(range.upperBound, first + bytes.count)
            try file.write(bytes: Array(bytes[start - first..<end - first]))
            start = end
        }
    }
}
