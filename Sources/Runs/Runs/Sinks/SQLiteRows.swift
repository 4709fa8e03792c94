import Platform
import Predicting
import SQLite
import Vision

/// The number of rows in a database that ``SQLiteSink`` wrote, and a sum of their hashes. Indexes and views added to
/// the database do not change the sum.
struct SQLiteRows {
    /// The counts of the records.
    private(set) var rows = RunRows()
    /// The sum of the hashes of all rows, except those of `runs`.
    private(set) var sum = HashSum()
    /// Whether the database has the position of every record in the whole list.
    let hasPlaces: Bool
    private let tables: [AnswerTable]

    /// Reads all rows, in one transaction.
    ///
    /// - Throws: `DatabaseError`; ``OutputError`` for a database without the sink's tables.
    init(_ database: Database) throws {
        let names = try Self.tableNames(database)
        tables = AnswerTable.named(names)
        guard names.isSuperset(of: ["runs", "records"]), !tables.isEmpty else { throw Self.foreign }
        hasPlaces = names.contains("places")
        try database.transaction(.deferred) { try add(database) }
    }

    /// The names of the tables of a database, or of an attached one.
    static func tableNames(_ database: Database, of schema: String = "main") throws -> Set<String?> {
        let tables = "SELECT name FROM \(schema).sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE %'"
        return Set(try database.rows(tables) { $0[0].text })
    }

    /// The names of the columns of the table of records.
    static func recordColumns(_ database: Database, of schema: String = "main") throws -> Set<String?> {
        Set(try database.rows("SELECT name FROM pragma_table_info('records', '\(schema)')") { $0[0].text })
    }

    /// The columns that records of earlier versions do not have, as they are selected: null where they are missing.
    static func recordAdditions(_ database: Database, of schema: String = "main") throws -> String {
        let present = try recordColumns(database, of: schema)
        return SQLiteSink.recordAdditions.map { present.contains($0.name) ? $0.name : "NULL" }.joined(separator: ", ")
    }

    private mutating func add(_ database: Database) throws {
        let records = """
            SELECT id, name, error_stage, error_code, error_message, \(try Self.recordAdditions(database))
            FROM records ORDER BY id
            """
        try database.rows(records) { row in
            let (position, name) = (try Self.place(row[0]), try Self.text(row[1]))
            guard let name else { throw Self.foreign }
            let failure = try row[2...4].map { try Self.text($0) }
            rows.add(position: position, id: name, isAnswer: failure[0] == nil)
            sum.add(Self.hash([position], [name] + failure, number: nil))
            sum.add(Array(row[5...]), ofRecord: position)
        }
        if hasPlaces {
            try database.rows("SELECT record, position FROM places") { row in
                sum.add(Self.hash(try row.map { try Self.place($0) }, [], number: nil))
            }
        }
        for table in tables {
            try database.rows("SELECT \(table.columnNames.joined(separator: ", ")) FROM \(table.name)") { row in
                sum.add(try table.hash(row))
            }
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

    /// The hash of a row of another table.
    static func hash(_ row: [DatabaseValue], of table: String) -> StableHash {
        var hash = StableHash()
        hash.combine(table)
        for value in row {
            switch value {
            case .null: hash.combine(UInt64(0))
            case .real(let number) where number.isNaN: hash.combine(UInt64(0))
            case .integer(let number):
                hash.combine(UInt64(1))
                hash.combine(UInt64(bitPattern: Int64(number)))
            case .real(let number):
                hash.combine(UInt64(2))
                hash.combine(number == 0 ? 0 : number.bitPattern)
            case .text(let text):
                hash.combine(UInt64(3))
                hash.combine(text.untilZero)
            case .blob(let bytes):
                hash.combine(UInt64(4))
                bytes.withUnsafeBytes { hash.combine($0) }
            }
        }
        return hash
    }

    static let foreign = OutputError.failed(name: "", message: "is not a database of predictions")

    /// A column as a count or position, which must not be negative.
    static func place(_ value: DatabaseValue) throws -> Int {
        guard let number = value.integer, (0..<Int.max).contains(number) else { throw foreign }
        return number
    }

    static func text(_ value: DatabaseValue) throws -> String? {
        if value == .null { return nil }
        guard let text = value.text else { throw foreign }
        return text
    }
}

extension AnswerTable {
    /// The hash of a row, by which changes are found.
    ///
    /// - Throws: ``OutputError`` for a row that no run wrote.
    func hash(_ row: [DatabaseValue]) throws -> StableHash {
        // Manifests of earlier versions have the sums of classes, which have ranks, and of vectors.
        switch (counter, row.last) {
        case ("rank", _):
            return SQLiteRows.hash(
                try row[0...2].map { try SQLiteRows.place($0) }, [try SQLiteRows.text(row[3])], number: row[4].number)
        case (nil, .blob(let bytes)?): return SQLiteRows.hash(try SQLiteRows.place(row[0]), vector: bytes)
        case (nil, _): throw SQLiteRows.foreign
        default:
            _ = try SQLiteRows.place(row[0])
            return SQLiteRows.hash(row, of: name)
        }
    }
}

extension HashSum {
    /// Adds what a record has in the columns that earlier versions did not write, if it has any.
    mutating func add(_ additions: [DatabaseValue], ofRecord position: Int) {
        guard additions.contains(where: { $0 != .null }) else { return }
        add(SQLiteRows.hash([DatabaseValue(position)] + additions, of: "records"))
    }
}
