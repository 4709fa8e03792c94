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
            let files = Self.isFolder(path) ? try Self.files(inFolder: path) : [path]
            for file in files {
                guard seen.insert(file).inserted else { throw .usage("\(file): is given more than once") }
                records.append(ImageRecord(id: file, source: .file(file)))
            }
        }
        return records
    }

    /// The pictures in a folder and its subfolders, sorted by path. Hidden files and folders are passed over, and so are
    /// links to folders, which may lead in a circle.
    private static func files(inFolder folder: String) throws(ApusError) -> [String] {
        let end = folder.lastIndex { $0 != "/" }
        var folders = [end.map { String(folder[...$0]) } ?? ""]
        var files: [String] = []
        while let current = folders.popLast() {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: current.isEmpty ? "/" : current)
            } catch {
                throw .file(path: current, message: "the folder cannot be listed")
            }
            for name in names where !name.hasPrefix(".") {
                let path = "\(current)/\(name)"
                var information = stat()
                guard lstat(path, &information) == 0 else { continue }
                switch information.st_mode & S_IFMT {
                case S_IFDIR: folders.append(path)
                case S_IFREG: if isNamedLikePicture(name) { files.append(path) }
                case S_IFLNK: if isNamedLikePicture(name), !isFolder(path) { files.append(path) }
                default: break
                }
            }
        }
        guard !files.isEmpty else { throw .file(path: folder, message: "holds no JPEG or PNG files") }
        return files.sorted()
    }

    private static func isNamedLikePicture(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return false }
        return imageExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

extension Dataset where Self == FileDataset {
    /// The pictures in a folder and its subfolders, sorted by path.
    public static func imageFolder(_ path: String) -> FileDataset { FileDataset(paths: [path]) }

    /// Files, and the pictures in folders, in the order given.
    public static func files(_ paths: [String]) -> FileDataset { FileDataset(paths: paths) }
}
