import CSQLite

/// A prepared statement. It is finalized before its connection is closed.
final class Statement {
    private let connection: OpaquePointer
    private let statement: OpaquePointer

    init(_ sql: String, connection: OpaquePointer) throws {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, connection: connection) }
        guard let statement else {
            throw DatabaseError(code: SQLITE_MISUSE, message: "there is no statement in \"\(sql)\"")
        }
        self.connection = connection
        self.statement = statement
    }

    deinit { sqlite3_finalize(statement) }

    /// Gives every parameter its value.
    func bind(_ values: [DatabaseValue]) throws {
        let count = Int(sqlite3_bind_parameter_count(statement))
        guard values.count == count else {
            throw DatabaseError(code: SQLITE_RANGE, message: "\(values.count) values for \(count) parameters")
        }
        for (index, value) in zip(Int32(1)..., values) {
            let code =
                switch value {
                case .null: sqlite3_bind_null(statement, index)
                case .integer(let integer): sqlite3_bind_int64(statement, index, Int64(integer))
                case .real(let number): sqlite3_bind_double(statement, index, number)
                case .text(let text): apus_sqlite_bind_text(statement, index, text)
                case .blob(let bytes): apus_sqlite_bind_blob(statement, index, bytes, Int64(bytes.count))
                }
            guard code == SQLITE_OK else { throw DatabaseError(code: code, connection: connection) }
        }
    }

    /// Runs the statement to its next row, and returns the values of its columns; nil at its end.
    func step() throws -> [DatabaseValue]? {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return (0..<sqlite3_column_count(statement)).map { value($0) }
        case SQLITE_DONE: return nil
        case let code: throw DatabaseError(code: code, connection: connection)
        }
    }

    /// The value of a column of the current row.
    private func value(_ column: Int32) -> DatabaseValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(Int(sqlite3_column_int64(statement, column)))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: sqlite3_column_text(statement, column).map { .text(String(cString: $0)) } ?? .null
        case SQLITE_BLOB:
            .blob(
                Array(
                    UnsafeRawBufferPointer(
                        start: sqlite3_column_blob(statement, column),
                        count: Int(sqlite3_column_bytes(statement, column)))))
        default: .null
        }
    }

    /// Ends the statement, so that it can run again.
    func reset() {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }
}
