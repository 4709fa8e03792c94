import Foundation
import GRDB

/// Joins databases that ``SQLiteSink`` wrote.
enum SQLiteMerge {
    /// Copies the rows of every database into a new one, in one transaction. `records.id` counts on from part to part.
    static func join(_ parts: [String], into path: String) throws {
        let place = try FilePlace(path, followsLink: false)
        let partialFile = try PartialFile(for: place.name, in: OutputFolder(path: place.folder))
        let partial = partialFile.path
        defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(partial + suffix) } }
        do {
            let database = try DatabaseQueue(path: partial)
            try database.inDatabase { try $0.execute(sql: SQLiteSink.tables) }
            for part in parts {
                try database.inDatabase { database in
                    try database.execute(sql: "ATTACH DATABASE ? AS part", arguments: [part])
                    try database.inTransaction {
                        try database.execute(sql: copy)
                        return .commit
                    }
                    try database.execute(sql: "DETACH DATABASE part")
                }
            }
            try database.close()
        } catch let error as DatabaseError {
            throw OutputError.failed(name: path, message: "SQLite: \(error.message ?? "\(error.extendedResultCode)")")
        }
        try partialFile.rename()
    }

    private static let copy = """
        CREATE TEMP TABLE bases AS SELECT (SELECT COALESCE(MAX(id) + 1, 0) FROM main.records) AS record,
            (SELECT COALESCE(MAX(id), 0) FROM main.runs) AS run;
        INSERT INTO main.runs SELECT id + (SELECT run FROM bases), model, fingerprint, options, shard FROM part.runs;
        INSERT INTO main.records
            SELECT id + (SELECT record FROM bases), run + (SELECT run FROM bases), name, error_stage, error_code,
                error_message FROM part.records ORDER BY id;
        INSERT INTO main.predictions
            SELECT record + (SELECT record FROM bases), rank, class, label, confidence FROM part.predictions
            ORDER BY record, rank;
        DROP TABLE bases;
        """
}
