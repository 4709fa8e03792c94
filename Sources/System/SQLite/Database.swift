import CSQLite

/// A connection to a SQLite database. One task uses it at a time.
///
///     let database = try Database(path: "rows.sqlite")
///     try database.transaction {
///         try database.run("INSERT INTO records VALUES (?, ?)", [DatabaseValue(1), DatabaseValue("coffee.png")])
///     }
///     let names = try database.rows("SELECT name FROM records") { $0[0].text }
///
/// References between tables are checked. A database that another connection has locked is an error at once.
package final class Database {
    /// What a connection may do.
    package enum Access: Sendable {
        /// Reads a database that exists.
        case readOnly
        /// Reads and writes a database, which is created if there is none.
        case readWrite

        var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    /// When a transaction takes its lock.
    package enum TransactionKind: String, Sendable {
        /// At its first statement; a lock for reading if it only reads.
        case deferred = "BEGIN DEFERRED"
        /// At its beginning, for writing.
        case immediate = "BEGIN IMMEDIATE"
    }

    private var connection: OpaquePointer?
    private var statements: [String: Statement] = [:]

    /// Opens the database at a path. A file that is no database is an error only when a statement reads it.
    ///
    /// - Throws: ``DatabaseError``
    package init(path: String, access: Access = .readWrite) throws {
        let code = sqlite3_open_v2(path, &connection, access.flags, nil)
        guard code == SQLITE_OK, let connection else {
            let error = DatabaseError(code: code, connection: connection)
            sqlite3_close_v2(connection)
            throw error
        }
        sqlite3_extended_result_codes(connection, 1)
        try execute("PRAGMA foreign_keys = ON")
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(connection)
    }

    /// Runs statements that are separated by semicolons, and drops the rows that they return.
    ///
    /// - Throws: ``DatabaseError``; the statements before the one that failed have been run.
    package func execute(_ script: String) throws {
        let connection = try open()
        let code = sqlite3_exec(connection, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, connection: connection) }
    }

    /// Runs one statement to its end, with a value for each `?`.
    ///
    /// - Throws: ``DatabaseError``
    package func run(_ sql: String, _ values: [DatabaseValue] = []) throws {
        try rows(sql, values) { _ in }
    }

    /// Runs one statement, with a value for each `?`, and returns what `body` returns for the columns of each row.
    ///
    /// - Throws: ``DatabaseError``, and what `body` throws.
    @discardableResult package func rows<Result>(
        _ sql: String, _ values: [DatabaseValue] = [], _ body: ([DatabaseValue]) throws -> Result
    ) throws -> [Result] {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var results: [Result] = []
        while let row = try statement.step() { results.append(try body(row)) }
        return results
    }

    /// Runs `body` in one transaction, and undoes all its changes if it throws or if the commit fails.
    ///
    /// - Throws: ``DatabaseError``, and what `body` throws.
    @discardableResult package func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        try execute(kind.rawValue)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite may have ended the transaction itself, for example after an error of the disk.
            if let connection, sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Moves the whole write-ahead log into the database, and empties the log.
    ///
    /// - Throws: ``DatabaseError``, also while another connection reads the database.
    package func truncateLog() throws {
        let connection = try open()
        let code = sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, connection: connection) }
    }

    /// Closes the connection. It cannot be used afterwards.
    ///
    /// - Throws: ``DatabaseError``
    package func close() throws {
        let connection = try open()
        statements = [:]
        let code = sqlite3_close(connection)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, connection: connection) }
        self.connection = nil
    }

    private func open() throws -> OpaquePointer {
        guard let connection else { throw DatabaseError.closed }
        return connection
    }

    /// The prepared statement of a text, which is prepared once.
    private func statement(_ sql: String) throws -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try Statement(sql, connection: try open())
        statements[sql] = statement
        return statement
    }
}
