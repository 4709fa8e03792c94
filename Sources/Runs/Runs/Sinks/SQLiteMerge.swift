import Glibc
import Platform
import Predicting
import SQLite
import Vision

/// Joins databases that ``SQLiteSink`` wrote.
enum SQLiteMerge {
    /// Copies the rows of all databases into a new one, with one transaction per database.
    ///
    /// - Parameter isOrdered: Whether `records.id` is the position in the whole list. Otherwise it is numbered
    ///   consecutively across parts.
    /// - Returns: The checkpoint at the end of the output.
    static func join(_ parts: [String], into path: String, isOrdered: Bool) throws -> SinkCheckpoint {
        let place = try FilePlace(path, followsLink: false)
        let partialFile = try PartialFile(for: place.name, in: OutputFolder(path: place.folder))
        let partial = partialFile.path
        defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(partial + suffix) } }
        let sum: HashSum
        do {
            let database = try Database(path: partial)
            try database.execute(SQLiteSink.tables)
            for part in parts {
                try database.run("ATTACH DATABASE ? AS part", [DatabaseValue(part)])
                try database.transaction {
                    if isOrdered { try checkPlaces(database, part) }
                    try copyRecords(database, isOrdered: isOrdered)
                    for table in AnswerTable.named(try SQLiteRows.tableNames(database, of: "part")) {
                        try database.execute(table.creation)
                        try database.execute(table.copying(isOrdered: isOrdered))
                    }
                    try database.execute("DROP TABLE bases")
                }
                try database.execute("DETACH DATABASE part")
            }
            sum = try SQLiteRows(database).sum
            try database.close()
        } catch let error as DatabaseError {
            throw SQLiteSink.failure(error, path)
        }
        try partialFile.rename()
        return SinkCheckpoint(checksums: [sum.text], state: ["tables": 3])
    }

    private static func checkPlaces(_ database: Database, _ part: String) throws {
        let tables = "SELECT COUNT(*) FROM part.sqlite_master WHERE type = 'table' AND name = 'places'"
        guard try count(database, tables) == 1 else {
            throw ApusError.usage(
                "\(part): does not say where its rows belong, since an earlier version of Apus began it; merge it "
                    + "without --ordered")
        }
        let missing = "SELECT COUNT(*) FROM part.records WHERE id NOT IN (SELECT record FROM part.places)"
        guard try count(database, missing) == 0 else {
            throw ApusError.file(path: part, message: "does not say where all of its rows belong")
        }
    }

    private static func count(_ database: Database, _ sql: String) throws -> Int? {
        try database.rows(sql) { $0[0].integer }.first ?? nil
    }

    /// Copies the runs and the records of the attached database, and makes the table `bases` of the numbers before
    /// them.
    private static func copyRecords(_ database: Database, isOrdered: Bool) throws {
        let additions = try SQLiteRows.recordAdditions(database, of: "part")
        let columns = "run + (SELECT run FROM bases), name, error_stage, error_code, error_message, \(additions)"
        let records =
            isOrdered
            ? "SELECT position, \(columns) FROM part.records JOIN part.places ON record = id ORDER BY position"
            : "SELECT id + (SELECT record FROM bases), \(columns) FROM part.records ORDER BY id"
        try database.execute(
            """
            CREATE TEMP TABLE bases AS SELECT (SELECT COALESCE(MAX(id) + 1, 0) FROM main.records) AS record,
                (SELECT COALESCE(MAX(id), 0) FROM main.runs) AS run;
            INSERT INTO main.runs
                SELECT id + (SELECT run FROM bases), model, fingerprint, options, shard FROM part.runs;
            INSERT INTO main.records \(records);
            """)
    }
}
