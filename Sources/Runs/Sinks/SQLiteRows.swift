import Platform
import SQLite

/// The number of rows in a database that ``SQLiteSink`` wrote, and a sum of their hashes. Indexes and views added to
/// the database do not change the sum.
struct SQLiteRows {
    /// The counts of the records.
    private(set) var rows = RunRows()
    /// The sum of the hashes of all rows, except those of `runs`.
    private(set) var sum = HashSum()
    /// Whether the database has the position of every record in the whole list.
    let hasPlaces: Bool
    private let hasEmbeddings: Bool

    /// Reads all rows, in one transaction.
    ///
    /// - Throws: `DatabaseError`; ``OutputError`` for a database without the sink's tables.
    init(_ database: Database) throws {
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE %'"
        let names = Set(try database.rows(tables) { $0[0].text })
        guard names.isSuperset(of: ["runs", "records", "predictions"]) else { throw Self.foreign }
        hasPlaces = names.contains("places")
        hasEmbeddings = names.contains("embeddings")
        try database.transaction(.deferred) { try add(database) }
    }

    private mutating func add(_ database: Database) throws {
        let records = "SELECT id, name, error_stage, error_code, error_message FROM records ORDER BY id"
        try database.rows(records) { row in
            let (position, name) = (try Self.place(row[0]), try Self.text(row[1]))
            guard let name else { throw Self.foreign }
            let failure = try row[2...4].map { try Self.text($0) }
            rows.add(position: position, id: name, isAnswer: failure[0] == nil)
            sum.add(Self.hash([position], [name] + failure, number: nil))
        }
        if hasPlaces {
            try database.rows("SELECT record, position FROM places") { row in
                sum.add(Self.hash(try row.map { try Self.place($0) }, [], number: nil))
            }
        }
        if hasEmbeddings {
            try database.rows("SELECT record, vector FROM embeddings") { row in
                guard case .blob(let bytes) = row[1] else { throw Self.foreign }
                sum.add(Self.hash(try Self.place(row[0]), vector: bytes))
            }
        }
        try database.rows("SELECT record, rank, class, label, confidence FROM predictions") { row in
            sum.add(
                Self.hash(try row[0...2].map { try Self.place($0) }, [try Self.text(row[3])], number: row[4].number))
        }
    }

    /// Reads the database at a path without changing it.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    init(path: String) throws(ApusError) {
        do {
            let database = try Database(path: path, access: .readOnly)
            self = try SQLiteRows(database)
            try database.close()
        } catch {
            throw ApusError(SQLiteSink.failure(error, path))
        }
    }

    /// The hash of a row: its numbers, texts, and last number.
    static func hash(_ numbers: [Int], _ texts: [String?], number: Double?) -> StableHash {
        var hash = StableHash()
        for number in numbers { hash.combine(UInt64(bitPattern: Int64(number))) }
        for text in texts {
            hash.combine(UInt64(text == nil ? 0 : 1))
            if let text { hash.combine(text.untilZero) }
        }
        hash.combine(number.map { $0 == 0 ? 0 : $0.bitPattern } ?? .max)
        return hash
    }

    /// The hash of a row with a vector.
    static func hash(_ record: Int, vector: [UInt8]) -> StableHash {
        var hash = StableHash()
        hash.combine(UInt64(bitPattern: Int64(record)))
        vector.withUnsafeBytes { hash.combine($0) }
        return hash
    }

    private static let foreign = OutputError.failed(name: "", message: "is not a database of predictions")

    /// A column as a count or position, which must not be negative.
    private static func place(_ value: DatabaseValue) throws -> Int {
        guard let number = value.integer, (0..<Int.max).contains(number) else { throw foreign }
        return number
    }

    private static func text(_ value: DatabaseValue) throws -> String? {
        if value == .null { return nil }
        guard let text = value.text else { throw foreign }
        return text
    }
}

extension String {
    /// The text as SQLite stores it: up to the first zero byte.
    var untilZero: String {
        guard let end = utf8.firstIndex(of: 0) else { return self }
        return String(self[..<end])
    }
}
