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
        let base = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        var files: [String] = []
        var folders = [base]
        while let folder = folders.popLast() {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: folder)
            } catch {
                throw .file(path: folder, message: "cannot be listed")
            }
            for name in names where !name.hasPrefix(".") {
                let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
                var status = stat()
                // Links to folders are not followed, so that a link to a parent cannot make the list endless.
                guard lstat(path, &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: folders.append(path)
                case S_IFREG, S_IFLNK:
                    if imageExtensions.contains((name as NSString).pathExtension.lowercased()) { files.append(path) }
                default: break
                }
            }
        }
        guard !files.isEmpty else { throw .file(path: base, message: "holds no JPEG or PNG files") }
        return files.sorted()
    }
}

extension Dataset where Self == FileDataset {
    /// The pictures in a folder and its subfolders, sorted by path.
    public static func imageFolder(_ path: String) -> FileDataset { FileDataset(paths: [path]) }

    /// Files, and the pictures in folders, in the order given.
    public static func files(_ paths: [String]) -> FileDataset { FileDataset(paths: paths) }
}
