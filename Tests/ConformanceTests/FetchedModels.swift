import Foundation

/// Models that `make test` fetches into an ignored folder.
enum FetchedModels {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: ".cache")

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The file; nil, with the reason printed, when it was not fetched.
    ///
    /// - Throws: ``Missing`` under continuous integration, where everything must have been fetched.
    static func file(_ path: String) throws -> URL? {
        let file = folder.appending(path: path)
        if FileManager.default.fileExists(atPath: file.path) { return file }
        let reason = ".cache/\(path) is missing; make test-models fetches it"
        if ProcessInfo.processInfo.environment["CI"] == "true" { throw Missing(description: reason) }
        print("skipped: \(reason)")
        return nil
    }
}
