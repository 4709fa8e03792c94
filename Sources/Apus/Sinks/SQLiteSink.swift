import Foundation
import GRDB

/// A SQLite database with three tables:
///
///     runs(id, model, fingerprint, options, shard)
///     records(id, run, name unique, error_stage, error_code, error_message)
///     predictions(record, rank, class, label, confidence)
///
/// `records.id` is the record's place in the list, from 0. Rows are kept in memory until they are committed, all in one
/// transaction of a write-ahead log that is on the disk before the next begins.
public struct SQLiteSink: Sink {
    public let resumedRows: RunRows?

    private let database: DatabaseQueue
    private let name: String
    private let options: RowOptions
    private var waiting: [PredictionRecord] = []

    init(_ target: SinkTarget) throws(OutputError) {
        guard let path = target.path else {
            throw .failed(name: "standard output", message: "a database needs a file")
        }
        name = path
        options = target.options
        let isNew = target.checkpoint == nil
        do {
            if isNew { try Self.empty(path) }
            var configuration = Configuration()
            configuration.label = "apus"
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            }
            database = try DatabaseQueue(path: path, configuration: configuration)
            if isNew { try database.write { try Self.createTables($0, target.identity) } }
            resumedRows = isNew ? nil : try database.read(Self.rows)
        } catch {
            throw Self.failure(error, path)
        }
    }

    public mutating func write(_ record: PredictionRecord) { waiting.append(record) }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        let checkpoint = SinkCheckpoint(state: ["tables": 3])
        guard !waiting.isEmpty else { return checkpoint }
        do {
            try database.write { database in
                for record in waiting { try insert(record, database) }
            }
        } catch {
            throw Self.failure(error, name)
        }
        waiting.removeAll(keepingCapacity: true)
        return checkpoint
    }

    public mutating func finish() throws(OutputError) {
        _ = try commit()
        do {
            try database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try database.close()
        } catch {
            throw Self.failure(error, name)
        }
    }

    private func insert(_ record: PredictionRecord, _ database: Database) throws {
        var failure: RecordError?
        if case .failure(let error) = record.result { failure = error }
        try database.cachedStatement(sql: "INSERT INTO records VALUES (?, 1, ?, ?, ?, ?)").execute(
            arguments: [record.position, record.id, failure?.stage, failure?.code, failure?.message])
        guard case .success(let answer) = record.result else { return }
        let statement = try database.cachedStatement(sql: "INSERT INTO predictions VALUES (?, ?, ?, ?, ?)")
        for (rank, prediction) in options.predictions(answer).enumerated() {
            try statement.execute(
                arguments: [
                    record.position, rank + 1, prediction.index, prediction.label, Double(prediction.confidence),
                ])
        }
    }

    static let tables = """
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY, model TEXT, fingerprint TEXT, options TEXT, shard TEXT);
        CREATE TABLE records (
            id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, name TEXT NOT NULL UNIQUE,
            error_stage TEXT, error_code TEXT, error_message TEXT);
        CREATE TABLE predictions (
            record INTEGER NOT NULL REFERENCES records, rank INTEGER NOT NULL, class INTEGER NOT NULL,
            label TEXT, confidence REAL, PRIMARY KEY (record, rank)) WITHOUT ROWID;
        """

    private static func createTables(_ database: Database, _ identity: RunIdentity?) throws {
        try database.execute(sql: tables)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let settings = String(decoding: try encoder.encode(identity?.options ?? [:]), as: UTF8.self)
        try database.execute(
            sql: "INSERT INTO runs VALUES (1, ?, ?, ?, ?)",
            arguments: [identity?.model, identity?.modelFingerprint, settings, identity?.shard])
    }

    /// The rows that are committed.
    private static func rows(_ database: Database) throws -> RunRows {
        var rows = RunRows()
        let cursor = try Row.fetchCursor(database, sql: "SELECT id, error_stage IS NULL FROM records ORDER BY id")
        while let row = try cursor.next() {
            rows.finished.insert(row[0])
            if row[1] { rows.succeeded += 1 } else { rows.failed += 1 }
        }
        return rows
    }

    /// Empties a database. Its file stays the one that is locked.
    private static func empty(_ path: String) throws(OutputError) {
        try OutputFile(path: path, keeping: 0).close()
        for file in [path + "-wal", path + "-shm", path + "-journal"] where unlink(file) != 0 && errno != ENOENT {
            throw .failed(name: file, message: OutputFile.systemMessage(errno))
        }
    }

    private static func failure(_ error: any Error, _ path: String) -> OutputError {
        switch error {
        case let error as OutputError: error
        case let error as DatabaseError:
            .failed(name: path, message: "SQLite: \(error.message ?? "\(error.extendedResultCode)")")
        default: .failed(name: path, message: "SQLite: \(error)")
        }
    }
}
