import Foundation

/// Picture files, named one by one or by the folders that hold them.
///
/// The label of a file from a folder is the name of the first subfolder on the way to it, as in `photos/cat/1.jpg`.
public struct FileDataset: Dataset {
    /// Which files of a folder are taken.
    public struct Selection: Sendable {
        /// Files of these forms; pictures by their names' extensions when there are none.
        public var including: [GlobPattern]
        /// Not files and folders of these forms.
        public var excluding: [GlobPattern]

        /// Makes a selection.
        public init(including: [GlobPattern] = [], excluding: [GlobPattern] = []) {
            self.including = including
            self.excluding = excluding
        }

        func includes(_ path: String) -> Bool {
            including.isEmpty ? FileDataset.isNamedLikePicture(path) : including.contains { $0.matches(path) }
        }

        func excludes(_ path: String) -> Bool { excluding.contains { $0.matches(path) } }
    }

    private let paths: [String]
    private let selection: Selection

    init(paths: [String], selection: Selection = Selection()) {
        self.paths = paths
        self.selection = selection
    }

    /// Extensions of the files that are taken from a folder. A file named by itself is taken whatever its name.
    private static let imageExtensions: Set<String> = ["jpg", "jpeg", "jpe", "jfif", "png"]

    public func records() throws(ApusError) -> RecordListing {
        var paths = paths[...]
        var folder: (walk: FolderWalk, path: String, count: Int)?
        return RecordListing { [selection] () throws(ApusError) -> ImageRecord? in
            while true {
                while let file = try folder?.walk.next() {
                    guard selection.includes(file.inside) else { continue }
                    folder?.count += 1
                    return Self.record(file)
                }
                if let folder, folder.count == 0 {
                    let wanted = selection.including.isEmpty ? "no JPEG or PNG files" : "no files of the form asked for"
                    throw .file(path: folder.path, message: "holds \(wanted)")
                }
                folder = nil
                guard let path = paths.popFirst() else { return nil }
                guard Self.isFolder(path) else { return ImageRecord(id: path, source: .file(path)) }
                folder = (try FolderWalk(path, isPruned: selection.excludes), path, 0)
            }
        }
    }

    private static func record(_ file: FolderWalk.File) -> ImageRecord {
        let label = file.inside.firstIndex(of: "/").map { String(file.inside[..<$0]) }
        guard file.isNamedInText else {
            let error = RecordError(stage: "read", code: "name", message: "the file's name is not UTF-8 text")
            return ImageRecord(id: file.path, label: label, source: .failure(error))
        }
        return ImageRecord(id: file.path, label: label, source: .file(file.path))
    }

    /// Whether a name has the extension of a picture.
    static func isNamedLikePicture(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return imageExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }
}

extension Dataset where Self == FileDataset {
    /// The pictures in a folder and its subfolders, sorted by path, labelled by the first subfolder.
    ///
    ///     .imageFolder("photos", .init(including: ["**/*.jpg"], excluding: ["thumbnails"]))
    public static func imageFolder(
        _ path: String, _ selection: FileDataset.Selection = FileDataset.Selection()
    ) -> FileDataset { FileDataset(paths: [path], selection: selection) }

    /// Files, and the pictures in folders, in the order given.
    public static func files(
        _ paths: [String], _ selection: FileDataset.Selection = FileDataset.Selection()
    ) -> FileDataset { FileDataset(paths: paths, selection: selection) }
}
