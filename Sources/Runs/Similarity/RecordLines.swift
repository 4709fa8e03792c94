import FoundationEssentials
import Glibc
import Platform
import Runs

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
    /// How every line starts.
    private static let lineStart = Array("{\"id\":\"".utf8)

    private struct Line: Decodable {
        let id: String
    }

    /// Reads the file beside an array.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` when the file does not have a line for each of `count` rows, or has
    ///   one that ``NumPySink`` does not write.
    init(besideArray array: String, count: Int) throws(ApusError) {
        path = array + NumPySink.recordsSuffix
        file = try ByteSource(path: path)
        guard let size = file.byteCount else { throw .file(path: path, message: "is a pipe, not a file") }
        var (places, errors, foreign) = ([0], Set<Int>(), Int?.none)
        places.reserveCapacity(min(count, size) + 1)
        var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        // Each piece begins with a line.
        while let start = places.last, start < size {
            let received = try piece.withUnsafeMutableBytes { [file] bytes in
                Result { () throws(ApusError) in try file.read(at: start, into: bytes) }
            }.get()
            let found = places.count
            piece.withUnsafeBufferPointer {
                Self.addLines(
                    of: UnsafeBufferPointer(rebasing: $0.prefix(received)), at: start, &places, &errors, &foreign)
            }
            if let foreign {
                throw .file(path: path, message: "line \(foreign + 1) is not one that apus predict writes")
            }
            guard places.count > found else { break }
        }
        guard places.count - 1 == count, places.last == size else {
            throw .file(path: path, message: "names \(places.count - 1) records, but \(array) has \(count) rows")
        }
        (self.places, self.errors) = (places, errors)
    }

    /// Adds the ends of the lines in a piece, the positions of those whose record has an error, and that of the first
    /// which has another form.
    private static func addLines(
        of piece: UnsafeBufferPointer<UInt8>, at offset: Int, _ places: inout [Int], _ errors: inout Set<Int>,
        _ foreign: inout Int?
    ) {
        func has(_ part: [UInt8], at position: Int, of base: UnsafePointer<UInt8>) -> Bool {
            memcmp(base + position, part, part.count) == 0
        }
        guard let base = piece.baseAddress else { return }
        var start = 0
        while let found = memchr(base + start, Int32(UInt8(ascii: "\n")), piece.count - start) {
            let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            let isOwn = end - start >= lineStart.count + answerEnd.count && has(lineStart, at: start, of: base)
            if !isOwn { foreign = foreign ?? places.count - 1 }
            if isOwn, !has(answerEnd, at: end - answerEnd.count, of: base) { errors.insert(places.count - 1) }
            start = end + 1
            places.append(offset + start)
        }
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
        var position = 0
        while position < places.count - 1 {
            let offset = places[position]
            let byteCount = max(Self.pieceByteCount, places[position + 1] - offset)
            let piece = Array(try file.read(at: offset, count: byteCount))
            let first = position
            while position < places.count - 1, places[position + 1] - offset <= piece.count {
                if piece[(places[position] - offset)..<(places[position + 1] - offset)].starts(with: start) {
                    return position
                }
                position += 1
            }
            guard position > first else { throw ApusError.file(path: path, message: "was cut while it was read") }
        }
        return nil
    }
}
