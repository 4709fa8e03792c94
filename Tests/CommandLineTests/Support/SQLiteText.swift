import Foundation

/// The content that the database engine's own reader finds.
enum SQLiteText {
    struct Failure: Error {
        let message: String
    }

    static func answer(_ query: String, _ path: String) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, path, query]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, !data.isEmpty else {
            throw Failure(message: "python3 cannot read \(path)")
        }
        return data
    }

    private static let script = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        for query in sys.argv[2].split(";"):
            for row in database.execute(query): print(row)
        """
}
