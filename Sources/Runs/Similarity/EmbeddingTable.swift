import FoundationEssentials
import Platform
import SQLite
import Tensors

/// An index in a database or in JSON Lines, read into memory.
struct EmbeddingTable {
    let rows: HeldEmbeddings
    let ids: HeldIDs

    private struct Line: Decodable {
        let id: String
        let embedding: [Float]?
    }

    /// Reads an index.
    ///
    /// - Throws: ``ApusError/file(path:message:)``; ``ApusError/memory(_:)``.
    init(_ path: String, isDatabase: Bool) throws(ApusError) {
        var content = Content(path: path)
        do {
            if isDatabase { try content.readDatabase() } else { try content.readLines() }
            guard let length = content.length else {
                throw ApusError.file(path: path, message: "has no vectors; apus predict --task embed writes them")
            }
            MemoryBudget.process.earn(arrayByteCount: content.numbers.count * MemoryLayout<Float>.stride)
            rows = HeldEmbeddings(try Tensor(content.numbers, shape: [content.ids.count, length]))
        } catch let error as ApusError {
            throw error
        } catch let error as TensorError {
            throw .memory("\(path): \(error)")
        } catch {
            throw .file(path: path, message: "\(error)")
        }
        ids = HeldIDs(ids: content.ids, errors: content.errors)
    }

    /// The rows read so far.
    private struct Content {
        let path: String
        var ids: [String] = []
        var numbers: [Float] = []
        var errors: Set<Int> = []
        var length: Int?

        /// Adds a record; without a vector it has an error.
        mutating func add(_ id: String, _ vector: [Float]?) throws {
            if let vector {
                guard vector.count == length ?? vector.count, !vector.isEmpty else {
                    throw ApusError.file(
                        path: path,
                        message: "the vector of \(id.printable) has \(vector.count) numbers, not \(length ?? 1)")
                }
                if length == nil { numbers = [Float](repeating: .nan, count: ids.count * vector.count) }
                length = vector.count
                numbers += vector
            } else {
                errors.insert(ids.count)
                numbers += [Float](repeating: .nan, count: length ?? 0)
            }
            ids.append(id)
        }

        mutating func readDatabase() throws {
            let database = try Database(path: path, access: .readOnly)
            let foreign = ApusError.file(path: path, message: "is not a database of vectors")
            let tables = Set(try database.rows("SELECT name FROM sqlite_master WHERE type = 'table'") { $0[0].text })
            guard tables.isSuperset(of: ["records", "embeddings"]) else { throw foreign }
            let all = """
                SELECT name, vector, error_code FROM records LEFT JOIN embeddings ON embeddings.record = records.id
                ORDER BY records.id
                """
            try database.rows(all) { row in
                guard let name = row[0].text else { throw foreign }
                guard case .blob(let bytes) = row[1] else {
                    guard row[1] == .null, row[2] != .null else { throw foreign }
                    return try add(name, nil)
                }
                let stride = MemoryLayout<Float>.stride
                guard bytes.count % stride == 0 else { throw foreign }
                try add(
                    name,
                    bytes.withUnsafeBytes { bytes in
                        (0..<bytes.count / stride).map {
                            bytes.loadUnaligned(fromByteOffset: $0 * stride, as: Float.self)
                        }
                    })
            }
            try database.close()
        }

        mutating func readLines() throws {
            let stream = try ByteStream(try ByteSource(path: path))
            let lines = TextLines(stream, name: path, maximumLineByteCount: 1 << 24)
            let decoder = JSONDecoder()
            while let line = try lines.next() {
                guard let record = try? decoder.decode(Line.self, from: line) else {
                    throw lines.error(lines.number, "is not a record with a vector")
                }
                try add(record.id, record.embedding)
            }
        }
    }
}
