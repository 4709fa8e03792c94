import FoundationEssentials
import Glibc
import Platform
import Predicting
import Preparation
import SQLite

/// Writes a SQLite database with a table of runs, one of records, and one of answers:
///
///     runs(id, model, fingerprint, options, shard)
///     records(id, run, name unique, error_stage, error_code, error_message, warning, width, height, time)
///     predictions(record, rank, class, label, confidence)
///
/// `warning` says what is wrong with the picture's file although all pixels could be decoded. `width` and `height` are
/// those of the upright picture in pixels, where answers have places in it, and `time` is that of a video's frame in
/// seconds.
///
/// Vectors have a table of bytes, which are numbers of float32 in this machine's order:
///
///     embeddings(record, vector)
///
/// All others have the columns that ``CSVSink`` writes, but for those of the record, in a table that is named after
/// what they are. `row` counts the rows of a record from 1, and `class` is the column `index` of CSV:
///
///     objects(record, row, class, label, confidence, x, y, width, height, track, x1, y1, …, x4, y4)
///     lines(record, row, line, text, confidence, direction, x1, y1, …, x4, y4)
///     parts(record, row, part, class, label, confidence, x, y, width, height,
///         stage, kind, value, value_confidence, json)
///     segments(…), instances(…), poses(…), landmarks(…), depth(…), image(…)
///     outputs(record, row, output, type, shape, numbers)
///
/// A record without such a row has an error, or nothing was found.
///
/// `records.id` is the record's position in the list, from 0. For a shard it is the position among the shard's records,
/// and a further table `places(record, position)` has the position in the whole list. Rows stay in memory until they
/// are committed together, in one transaction of a write-ahead log that is on the disk before the next begins. Closing
/// the database removes the log, so that the database can be read from a read-only folder.
public struct SQLiteSink: Sink {
    public let resumedRows: RunRows?

    private let database: Database
    private let name: String
    private let options: RowOptions
    private let answers: AnswerTable
    private let insertion: String
    private let hasPlaces: Bool
    private var rows: HashSum
    private var waiting: [PredictionRecord<ImageAnswer>] = []

    package init(_ target: SinkTarget) throws(OutputError) {
        guard let path = target.path else {
            throw .failed(name: "standard output", message: "a database needs a file")
        }
        name = path
        options = target.options
        answers = options.content.type.table
        insertion = answers.insertion
        let isNew = target.checkpoint == nil
        do {
            if isNew { try Self.empty(path) }
            database = try Database(path: path)
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            if isNew { try Self.createTables(database, target.identity, target.options.content) }
            let content = try SQLiteRows(database)
            if !isNew { try Self.completeRecords(database) }
            hasPlaces = content.hasPlaces
            rows = content.sum
            resumedRows = isNew ? nil : content.rows
        } catch {
            throw Self.failure(error, path)
        }
    }

    public mutating func write(_ record: PredictionRecord<ImageAnswer>) { waiting.append(record) }

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

    private func insert(_ record: PredictionRecord<ImageAnswer>, _ sum: inout HashSum) throws {
        var (failure, answer): (RecordError?, (any TaskAnswer)?) = (nil, nil)
        switch record.answer {
        case .success(let success): answer = success.base
        case .failure(let error): failure = error
        }
        let texts = [record.id, failure?.stage, failure?.code, failure?.message]
        let size = answer?.pictureSize
        let additions: [DatabaseValue] = [
            DatabaseValue(record.warning), size.map { DatabaseValue($0.width) } ?? .null,
            size.map { DatabaseValue($0.height) } ?? .null,
            record.timestamp.map { DatabaseValue($0 / .seconds(1)) } ?? .null,
        ]
        try database.run(
            "INSERT INTO records VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
            [DatabaseValue(record.position)] + texts.map { DatabaseValue($0) } + additions)
        sum.add(SQLiteRows.hash([record.position], texts, number: nil))
        sum.add(additions, ofRecord: record.position)
        if hasPlaces {
            let places = [record.position, record.listPosition]
            try database.run("INSERT INTO places VALUES (?, ?)", places.map { DatabaseValue($0) })
            sum.add(SQLiteRows.hash(places, [], number: nil))
        }
        guard let answer, type(of: answer).kind == options.content.rawValue else { return }
        for row in answer.databaseRows(RowContext(record, options)) {
            let row = [DatabaseValue(record.position)] + row
            try database.run(insertion, row)
            sum.add(try answers.hash(row))
        }
    }

    /// The tables that every database has.
    package static let tables = """
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY, model TEXT, fingerprint TEXT, options TEXT, shard TEXT);
        CREATE TABLE records (
            id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, name TEXT NOT NULL UNIQUE,
            error_stage TEXT, error_code TEXT, error_message TEXT,
            warning TEXT, width INTEGER, height INTEGER, time REAL);
        """

    /// The columns that the table of records does not have in databases of earlier versions.
    static let recordAdditions: [(name: String, type: String)] = [
        ("warning", "TEXT"), ("width", "INTEGER"), ("height", "INTEGER"), ("time", "REAL"),
    ]

    /// Adds the columns that an earlier version did not make.
    private static func completeRecords(_ database: Database) throws {
        try database.transaction {
            let present = try SQLiteRows.recordColumns(database)
            for column in recordAdditions where !present.contains(column.name) {
                try database.execute("ALTER TABLE records ADD COLUMN \(column.name) \(column.type)")
            }
        }
    }

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
            try database.execute(content.type.table.creation)
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
