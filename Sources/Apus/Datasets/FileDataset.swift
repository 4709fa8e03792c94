import Foundation

/// Picture files, named one by one or by the folders that hold them.
public struct FileDataset: Dataset {
    private let paths: [String]

    init(paths: [String]) { self.paths = paths }

    /// Extensions of the files that are taken from a folder. A file named by itself is taken whatever its name.
    static let imageExtensions: Set<String> = ["jpg", "jpeg", "jpe", "jfif", "png"]

    public func records() throws(ApusError) -> [ImageRecord] {
        var records: [ImageRecord] = []
        var seen: Set<String> = []
        for path in paths {
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            let files = exists && isFolder.boolValue ? try Self.files(inFolder: path) : [path]
            for file in files {
                guard seen.insert(file).inserted else { throw .usage("\(file): is given more than once") }
                records.append(ImageRecord(id: file, source: .file(file)))
            }
        }
        return records
    }

    /// The pictures in a folder and its subfolders, sorted by path; hidden files and folders are passed over.
    private static func files(inFolder folder: String) throws(ApusError) -> [String] {
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        var failure: ApusError?
        let enumerator = FileManager.default.enumerator(
            at: URL(fileURLWithPath: folder), includingPropertiesForKeys: [.isRegularFileKey],
            options: [.skipsHiddenFiles, .producesRelativePathURLs]
        ) { url, error in
            failure = .file(path: url.path, message: (error as NSError).localizedDescription)
            return false
        }
        guard let enumerator else { throw .file(path: folder, message: "cannot be listed") }
        var files: [String] = []
        for case let url as URL in enumerator where imageExtensions.contains(url.pathExtension.lowercased()) {
            if (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == false,
                (try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)) == nil
            {
                continue
            }
            files.append("\(base)/\(url.relativePath)")
        }
        if let failure { throw failure }
        guard !files.isEmpty else { throw .file(path: folder, message: "holds no JPEG or PNG files") }
        return files.sorted()
    }
}

extension Dataset where Self == FileDataset {
    /// The pictures in a folder and its subfolders, sorted by path.
    public static func imageFolder(_ path: String) -> FileDataset { FileDataset(paths: [path]) }

    /// Files, and the pictures in folders, in the order given.
    public static func files(_ paths: [String]) -> FileDataset { FileDataset(paths: paths) }
}
