import FoundationEssentials
import Glibc
import Platform
import SQLite
import Vision

/// Writes a SQLite database with three tables:
///
///     runs(id, model, fingerprint, options, shard)
///     records(id, run, name unique, error_stage, error_code, error_message)
///     predictions(record, rank, class, label, confidence)
///
/// Vectors have a table of their own, of bytes that are numbers of float32 in this machine's order:
///
///     embeddings(record, vector)
///
/// `records.id` is the record's position in the list, from 0. For a shard it is the position among the shard's records,
/// and a fourth table `places(record, position)` has the position in the whole list. Rows stay in memory until they are
/// committed together, in one transaction of a write-ahead log that is on the disk before the next begins. Closing the
/// database removes the log, so that the database can be read from a read-only folder.
public struct SQLiteSink: Sink {
    public let resumedRows: RunRows?

    private let database: Database
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
            database = try Database(path: path)
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            if isNew { try Self.createTables(database, target.identity, target.options.content) }
            let content = try SQLiteRows(database)
            hasPlaces = content.hasPlaces
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
            rows = try database.transaction { try waiting.reduce(into: rows) { try insert($1, &$0) } }
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
            try database.truncateLog()
            try database.execute("PRAGMA journal_mode = DELETE")
            try database.close()
        } catch {
            throw Self.failure(error, name)
        }
        return checkpoint
    }

    private func insert(_ record: PredictionRecord, _ sum: inout HashSum) throws {
        var failure: Vision.RecordError?
        if case .failure(let error) = record.answer { failure = error }
        let texts = [record.id, failure?.stage, failure?.code, failure?.message]
        try database.run(
            "INSERT INTO records VALUES (?, 1, ?, ?, ?, ?)",
            [DatabaseValue(record.position)] + texts.map { DatabaseValue($0) })
        sum.add(SQLiteRows.hash([record.position], texts, number: nil))
        if hasPlaces {
            let places = [record.position, record.listPosition]
            try database.run("INSERT INTO places VALUES (?, ?)", places.map { DatabaseValue($0) })
            sum.add(SQLiteRows.hash(places, [], number: nil))
        }
        if case .success(.embedding(let embedding)) = record.answer {
            let bytes = embedding.vector.withUnsafeBytes { Array($0) }
            try database.run("INSERT INTO embeddings VALUES (?, ?)", [DatabaseValue(record.position), .blob(bytes)])
            sum.add(SQLiteRows.hash(record.position, vector: bytes))
        }
        guard case .success(let answer) = record.classification else { return }
        for (rank, prediction) in options.predictions(answer).enumerated() {
            let (numbers, confidence) = ([record.position, rank + 1, prediction.index], Double(prediction.confidence))
            try database.run(
                "INSERT INTO predictions VALUES (?, ?, ?, ?, ?)",
                numbers.map { DatabaseValue($0) } + [DatabaseValue(prediction.label), DatabaseValue(confidence)])
            sum.add(SQLiteRows.hash(numbers, [prediction.label], number: confidence.isNaN ? nil : confidence))
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

    /// The table of vectors.
    package static let embeddings = """
        CREATE TABLE IF NOT EXISTS embeddings (
            record INTEGER PRIMARY KEY REFERENCES records, vector BLOB NOT NULL)
        """

    private static let places =
        "CREATE TABLE places (record INTEGER PRIMARY KEY REFERENCES records, position INTEGER NOT NULL)"

    private static func createTables(
        _ database: Database, _ identity: RunIdentity?, _ content: ImageAnswer.Content
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let settings = String(decoding: try encoder.encode(identity?.options ?? [:]), as: UTF8.self)
        try database.transaction {
            try database.execute(tables)
            if content == .embeddings { try database.execute(embeddings) }
            if identity?.shard != nil { try database.execute(places) }
            try database.run(
                "INSERT INTO runs VALUES (1, ?, ?, ?, ?)",
                [identity?.model, identity?.modelFingerprint, settings, identity?.shard].map { DatabaseValue($0) })
        }
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
        default: .failed(name: path, message: "SQLite: \(error)")
        }
    }
}
