import Foundation
import GRDB
import Platform
import Vision

/// Writes a SQLite database with three tables:
///
///     runs(id, model, fingerprint, options, shard)
///     records(id, run, name unique, error_stage, error_code, error_message)
///     predictions(record, rank, class, label, confidence)
///
/// `records.id` is the record's position in the list, from 0. For a shard it is the position among the shard's records,
/// and a fourth table `places(record, position)` has the position in the whole list. Rows stay in memory until they are
/// committed together, in one transaction of a write-ahead log that is on the disk before the next begins. Closing the
/// database removes the log, so that the database can be read from a read-only folder.
public struct SQLiteSink: Sink {
    public let resumedRows: RunRows?

    private let database: DatabaseQueue
    private let name: String
    private let options: SinkKind.RowOptions
    private let hasPlaces: Bool
    private var rows: HashSum
    private var waiting: [PredictionRecord] = []

    package init(_ target: SinkTarget) throws(OutputError) {
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
            hasPlaces = try database.read { try $0.tableExists("places") }
            let content = try database.read { try SQLiteRows($0) }
            rows = content.sum
            resumedRows = isNew ? nil : content.rows
        } catch {
            throw Self.failure(error, path)
        }
    }

    public mutating func write(_ record: PredictionRecord) { waiting.append(record) }

    public mutating func commit() throws(OutputError) -> SinkCheckpoint {
        guard !waiting.isEmpty else { return checkpoint }
        do {
            rows = try database.write { database in
                try waiting.reduce(into: rows) { try insert($1, database, &$0) }
            }
        } catch {
            throw Self.failure(error, name)
        }
        waiting.removeAll(keepingCapacity: true)
        return checkpoint
    }

    private var checkpoint: SinkCheckpoint { SinkCheckpoint(checksums: [rows.text], state: ["tables": 3]) }

    @discardableResult
    public mutating func finish() throws(OutputError) -> SinkCheckpoint {
        let checkpoint = try commit()
        do {
            try database.writeWithoutTransaction { database in
                _ = try database.checkpoint(.truncate)
                try database.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try database.close()
        } catch {
            throw Self.failure(error, name)
        }
        return checkpoint
    }

    private func insert(_ record: PredictionRecord, _ database: Database, _ sum: inout HashSum) throws {
        var failure: Vision.RecordError?
        if case .failure(let error) = record.classification { failure = error }
        try database.cachedStatement(sql: "INSERT INTO records VALUES (?, 1, ?, ?, ?, ?)").execute(
            arguments: [record.position, record.id, failure?.stage, failure?.code, failure?.message])
        sum.add(
            SQLiteRows.hash(
                [record.position], [record.id, failure?.stage, failure?.code, failure?.message], number: nil))
        if hasPlaces {
            try database.cachedStatement(sql: "INSERT INTO places VALUES (?, ?)").execute(
                arguments: [record.position, record.listPosition])
            sum.add(SQLiteRows.hash([record.position, record.listPosition], [], number: nil))
        }
        guard case .success(let answer) = record.classification else { return }
        let statement = try database.cachedStatement(sql: "INSERT INTO predictions VALUES (?, ?, ?, ?, ?)")
        for (rank, prediction) in options.predictions(answer).enumerated() {
            let confidence = Double(prediction.confidence)
            try statement.execute(
                arguments: [record.position, rank + 1, prediction.index, prediction.label, confidence])
            sum.add(
                SQLiteRows.hash(
                    [record.position, rank + 1, prediction.index], [prediction.label],
                    number: confidence.isNaN ? nil : confidence))
        }
    }

    package static let tables = """
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
        if identity?.shard != nil {
            try database.execute(
                sql: "CREATE TABLE places (record INTEGER PRIMARY KEY REFERENCES records, position INTEGER NOT NULL)")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let settings = String(decoding: try encoder.encode(identity?.options ?? [:]), as: UTF8.self)
        try database.execute(
            sql: "INSERT INTO runs VALUES (1, ?, ?, ?, ?)",
            arguments: [identity?.model, identity?.modelFingerprint, settings, identity?.shard])
    }

    /// Empties a database without replacing its file, which is locked.
    private static func empty(_ path: String) throws(OutputError) {
        try OutputFile(path: path, keeping: 0).close()
        for file in [path + "-wal", path + "-shm", path + "-journal"] where unlink(file) != 0 && errno != ENOENT {
            throw .failed(name: file, message: OutputFile.systemMessage(errno))
        }
    }

    package static func failure(_ error: any Error, _ path: String) -> OutputError {
        switch error {
        case OutputError.failed(let name, let message): .failed(name: name.isEmpty ? path : name, message: message)
        case let error as OutputError: error
        case let error as DatabaseError:
            .failed(name: path, message: "SQLite: \(error.message ?? "\(error.extendedResultCode)")")
        default: .failed(name: path, message: "SQLite: \(error)")
        }
    }
}
