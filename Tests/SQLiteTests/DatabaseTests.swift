import Foundation
import SQLite
import Testing

@Suite("SQLite databases")
struct DatabaseTests {
    private func withDatabase(_ body: (Database, _ path: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "rows.sqlite").path
        try body(try Database(path: path), path)
    }

    @Test("A value of every storage class is read as it was written")
    func storageClasses() throws {
        try withDatabase { database, _ in
            let values: [DatabaseValue] = [
                .null, .integer(.min), .integer(.max), .real(-0.1), .real(.infinity), .text(""), .text("naïve 🐦"),
                .blob([]), .blob([0, 255]),
            ]
            try database.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, value)")
            for value in values { try database.run("INSERT INTO items (value) VALUES (?)", [value]) }
            #expect(try database.rows("SELECT value FROM items ORDER BY id") { $0[0] } == values)
        }
    }

    @Test("A text ends at its first zero byte, and NaN is null")
    func changedValues() throws {
        try withDatabase { database, _ in
            let row = try database.rows("SELECT ?, ?", [.text("ab\0c"), .real(.nan)]) { $0 }
            #expect(row == [[.text("ab"), .null]])
        }
    }

    @Test("A transaction that throws changes nothing, and the next one works")
    func rollback() throws {
        try withDatabase { database, path in
            struct Stop: Error {}
            try database.execute("CREATE TABLE items (id INTEGER PRIMARY KEY)")
            func insert(_ id: Int, thenThrows error: (any Error)? = nil) throws {
                try database.transaction {
                    try database.run("INSERT INTO items VALUES (?)", [.integer(id)])
                    if let error { throw error }
                }
            }
            #expect(throws: Stop.self) { try insert(1, thenThrows: Stop()) }
            try insert(2)
            try database.close()
            let reader = try Database(path: path, access: .readOnly)
            let ids = try reader.transaction(.deferred) { try reader.rows("SELECT id FROM items") { $0[0].integer } }
            #expect(ids == [2])
        }
    }

    @Test("Errors say what SQLite says, and later statements still run")
    func errors() throws {
        try withDatabase { database, path in
            try database.execute("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a)")
            func message(_ body: () throws -> Void) -> String? {
                do { try body() } catch { return "\(error)" }
                return nil
            }
            #expect(message { try database.run("SELEC 1") } == "SQLite: near \"SELEC\": syntax error")
            #expect(message { try database.run("") } == "SQLite: there is no statement in \"\"")
            #expect(message { try database.run("SELECT ?") } == "SQLite: 0 values for 1 parameters")
            #expect(message { try database.run("INSERT INTO b VALUES (7)") } == "SQLite: FOREIGN KEY constraint failed")
            try database.run("INSERT INTO a VALUES (?)", [.integer(1)])
            #expect(
                message { try database.run("INSERT INTO a VALUES (?)", [.integer(1)]) }
                    == "SQLite: UNIQUE constraint failed: a.id")
            #expect(try database.rows("SELECT COUNT(*) FROM a") { $0[0] } == [.integer(1)])
            #expect(
                message { _ = try Database(path: path + ".absent", access: .readOnly) }
                    == "SQLite: unable to open database file")
            try database.close()
            #expect(message { try database.run("SELECT 1") } == "SQLite: the database is closed")
            #expect(message { try database.close() } == "SQLite: the database is closed")
            try Data("text".utf8).write(to: URL(filePath: path))
            #expect(
                message { try Database(path: path).execute("SELECT * FROM sqlite_master") }
                    == "SQLite: file is not a database")
        }
    }

    @Test("A database that is being written is locked for others at once")
    func locks() throws {
        try withDatabase { database, path in
            try database.execute("CREATE TABLE items (id INTEGER PRIMARY KEY)")
            let other = try Database(path: path)
            try database.transaction {
                #expect(throws: DatabaseError.self) { try other.transaction {} }
            }
            try other.transaction { try other.run("INSERT INTO items VALUES (1)") }
            #expect(try database.rows("SELECT id FROM items") { $0[0] } == [.integer(1)])
        }
    }

    @Test("A log that is truncated leaves nothing beside the database")
    func log() throws {
        try withDatabase { database, path in
            try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE items (id INTEGER PRIMARY KEY)")
            #expect(try Data(contentsOf: URL(filePath: path + "-wal")).isEmpty == false)
            try database.truncateLog()
            #expect(try Data(contentsOf: URL(filePath: path + "-wal")).isEmpty)
        }
    }
}
