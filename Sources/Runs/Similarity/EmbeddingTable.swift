import FoundationEssentials
import Platform
import SQLite
import Tensors

/// An index in a database or in JSON Lines, read into memory.
struct EmbeddingTable {
    let rows: HeldEmbeddings
    let ids: HeldIDs
    /// The number of records, of which each may have the vectors of several objects.
    let recordCount: Int

    /// A record with a vector, or with those that a recipe gives for its objects.
    private struct Line: Decodable {
        struct Answer: Decodable { let embedding: [Float]? }
        struct Object: Decodable { let answers: [String: Answer]? }

        let id: String
        let embedding: [Float]?
        let objects: [Object]?
    }

    /// Reads an index.
    ///
    /// - Throws: ``ApusError/file(path:message:)``; ``ApusError/memory(_:)``.
    init(_ path: String, isDatabase: Bool) throws(ApusError) {
        var content = Content(path: path)
        do {
            if isDatabase { try content.readDatabase() } else { try content.readLines() }
            guard let length = content.length else {
                throw ApusError.file(
                    path: path,
                    message: "has no vectors; apus predict writes them with --task embed, or a recipe with that task")
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
        recordCount = content.recordCount
    }

    /// The rows read so far.
    private struct Content {
        let path: String
        var ids: [String] = []
        var numbers: [Float] = []
        var errors: Set<Int> = []
        var length: Int?
        var recordCount = 0

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
            if tables.isSuperset(of: ["records", "parts"]) { return try readParts(of: database, foreign) }
            guard tables.isSuperset(of: ["records", "embeddings"]) else { throw foreign }
            let all = """
                SELECT name, vector, error_code FROM records LEFT JOIN embeddings ON embeddings.record = records.id
                ORDER BY records.id
                """
            try database.rows(all) { row in
                guard let name = row[0].text else { throw foreign }
                recordCount += 1
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

        /// Adds the vectors of a record's objects, which have the names `ID#1`, `ID#2` and so on.
        private mutating func add(_ id: String, _ objects: [Line.Object]) throws {
            for (position, object) in objects.enumerated() {
                let vectors = (object.answers ?? [:]).values.compactMap(\.embedding)
                guard vectors.count <= 1 else { throw severalStages(id) }
                if let vector = vectors.first { try add("\(id)#\(position + 1)", vector) }
            }
        }

        private func severalStages(_ id: String) -> ApusError {
            .file(path: path, message: "objects of \(id.printable) have vectors of several stages, not of one")
        }

        /// Reads the vectors of objects.
        private mutating func readParts(of database: Database, _ foreign: ApusError) throws {
            let all = """
                SELECT name, part, json, error_code FROM records LEFT JOIN parts ON parts.record = records.id
                AND parts.kind = 'embeddings' ORDER BY records.id, part
                """
            recordCount = try database.rows("SELECT COUNT(*) FROM records") { $0[0].integer ?? 0 }.first ?? 0
            var last: String?
            let decoder = JSONDecoder()
            try database.rows(all) { row in
                guard let name = row[0].text else { throw foreign }
                guard let part = row[1].integer, let json = row[2].text else {
                    if row[3] != .null { try add(name, nil) }
                    return
                }
                guard let answer = try? decoder.decode(Line.Answer.self, from: Data(json.utf8)) else { throw foreign }
                let id = "\(name)#\(part)"
                if id == last { throw severalStages(name) }
                last = id
                try add(id, answer.embedding)
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
                recordCount += 1
                if let objects = record.objects, record.embedding == nil {
                    try add(record.id, objects)
                } else {
                    try add(record.id, record.embedding)
                }
            }
        }
    }
}
