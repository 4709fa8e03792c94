import Foundation
import Platform

/// The ids of the rows of an array, in the file of records that ``NumPySink`` writes beside it. Only the places of its
/// lines are kept in memory.
struct RecordLines: EmbeddingIDs {
    let errors: Set<Int>

    private let path: String
    private let file: ByteSource
    /// The place of each line, and the end of the last.
    private let places: [Int]

    private static let pieceByteCount = 1 << 20
    /// How the line of a record with a vector ends.
    private static let answerEnd = Array(",\"error\":null}".utf8)

    private struct Line: Decodable {
        let id: String
    }

    /// Reads the file beside an array.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when the file does not have a line for each of `count` rows.
    init(besideArray array: String, count: Int) throws(ApusError) {
        path = array + NumPySink.recordsSuffix
        file = try ByteSource(path: path)
        guard let size = file.byteCount else { throw .file(path: path, message: "is a pipe, not a file") }
        var (places, errors, tail) = ([0], Set<Int>(), Data())
        places.reserveCapacity(min(count, size) + 1)
        var offset = 0
        while offset < size {
            let piece = try file.read(at: offset, count: Self.pieceByteCount)
            guard !piece.isEmpty else { break }
            var start = piece.startIndex
            while let end = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
                // The end of the line, of which a part may lie in the piece before.
                let last = tail.suffix(Self.answerEnd.count) + piece[start..<end].suffix(Self.answerEnd.count)
                if !last.suffix(Self.answerEnd.count).elementsEqual(Self.answerEnd) { errors.insert(places.count - 1) }
                places.append(offset + (end - piece.startIndex) + 1)
                (start, tail) = (end + 1, Data())
            }
            tail.append(piece[start...])
            tail = tail.suffix(Self.answerEnd.count)
            offset += piece.count
        }
        guard places.count - 1 == count, tail.isEmpty else {
            throw .file(path: path, message: "names \(places.count - 1) records, but \(array) has \(count) rows")
        }
        (self.places, self.errors) = (places, errors)
    }

    func id(_ position: Int) throws -> String {
        let data = try file.read(at: places[position], count: places[position + 1] - places[position])
        guard let line = try? JSONDecoder().decode(Line.self, from: data) else {
            throw ApusError.file(path: path, message: "line \(position + 1) has no id")
        }
        return line.id
    }

    func position(of id: String) throws -> Int? {
        var text = "{\"id\":"
        text.appendJSON(id)
        let start = Array((text + ",").utf8)
        // Lines are compared as the sink writes them.
        for position in places.indices.dropLast() {
            guard places[position + 1] - places[position] > start.count else { continue }
            if try file.read(at: places[position], count: start.count).elementsEqual(start) { return position }
        }
        return nil
    }
}
