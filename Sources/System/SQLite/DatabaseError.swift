import CSQLite

/// What SQLite says of a call that failed.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The extended result code. Source: <https://www.sqlite.org/rescode.html>
    package let code: Int32
    /// SQLite's message.
    package let message: String

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The error of the last call on a connection; a nil connection could not be made for want of memory.
    init(code: Int32, connection: OpaquePointer?) {
        self.code = code
        let text = connection.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        message = text.map { String(cString: $0) } ?? "error \(code)"
    }

    static let closed = DatabaseError(code: SQLITE_MISUSE, message: "the database is closed")

    package var description: String { "SQLite: \(message)" }
}
