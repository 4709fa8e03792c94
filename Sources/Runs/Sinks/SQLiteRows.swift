import Foundation
import GRDB
import Platform

/// The number of rows in a database that ``SQLiteSink`` wrote, and a sum of their hashes. Indexes and views added to
/// the database do not change the sum.
struct SQLiteRows {
    /// The counts of the records.
    private(set) var rows = RunRows()
    /// The sum of the hashes of all rows, except those of `runs`.
    private(set) var sum = HashSum()
    /// Whether the database has the position of every record in the whole list.
    let hasPlaces: Bool

    /// Reads all rows.
    ///
    /// - Throws: `DatabaseError`; ``OutputError`` for a database without the sink's tables.
    init(_ database: Database) throws {
        let tables = try String.fetchSet(
            database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE %'")
        guard tables.isSuperset(of: ["runs", "records", "predictions"]) else { throw Self.foreign }
        hasPlaces = tables.contains("places")
        let records = try Row.fetchCursor(
            database, sql: "SELECT id, name, error_stage, error_code, error_message FROM records ORDER BY id")
        while let row = try records.next() {
            let (position, name) = (try Self.place(row, 0), try Self.text(row, 1))
            guard let name else { throw Self.foreign }
            let failure = try (2...4).map { try Self.text(row, $0) }
            rows.add(position: position, id: name, isAnswer: failure[0] == nil)
            sum.add(Self.hash([position], [name] + failure, number: nil))
        }
        if hasPlaces {
            let places = try Row.fetchCursor(database, sql: "SELECT record, position FROM places")
            while let row = try places.next() {
                sum.add(Self.hash([try Self.place(row, 0), try Self.place(row, 1)], [], number: nil))
            }
        }
        let predictions = try Row.fetchCursor(
            database, sql: "SELECT record, rank, class, label, confidence FROM predictions")
        while let row = try predictions.next() {
            sum.add(
                Self.hash(
                    try (0...2).map { try Self.place(row, $0) }, [try Self.text(row, 3)],
                    number: Double.fromDatabaseValue(row[4])))
        }
    }

    /// Reads the database at a path without changing it.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    init(path: String) throws(ApusError) {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let database = try DatabaseQueue(path: path, configuration: configuration)
            self = try database.read { try SQLiteRows($0) }
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

    private static let foreign = OutputError.failed(name: "", message: "is not a database of predictions")

    /// A column as a count or position, which must not be negative.
    private static func place(_ row: Row, _ column: Int) throws -> Int {
        let value: DatabaseValue = row[column]
        guard let number = Int.fromDatabaseValue(value), (0..<Int.max).contains(number) else { throw foreign }
        return number
    }

    private static func text(_ row: Row, _ column: Int) throws -> String? {
        let value: DatabaseValue = row[column]
        if value.isNull { return nil }
        guard let text = String.fromDatabaseValue(value) else { throw foreign }
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
