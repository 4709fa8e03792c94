import Foundation

/// Calls `body` with a new folder that is removed afterwards.
package func withTemporaryFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = try newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Calls `body` with a new folder that is removed afterwards.
package func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = try newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

private func newFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}
