import Foundation

/// Reads whole files, with errors that say what is wrong.
enum FileContent {
    /// - Throws: ``ApusError/file(path:message:)``.
    static func read(_ path: String) throws(ApusError) -> Data {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw .file(path: path, message: "no such file")
        }
        guard !isFolder.boolValue else { throw .file(path: path, message: "is a folder, not a file") }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        } catch {
            throw .file(path: path, message: (error as NSError).localizedDescription)
        }
    }
}
