import Glibc
import Images
import Platform
import Preparation

/// Picture files, named one by one or by the folders that hold them.
///
/// The label of a file from a folder is the name of the first subfolder on the way to it, as in `photos/cat/1.jpg`.
public struct FileDataset: Dataset {
    /// The files that are taken from a folder.
    public struct Selection: Sendable {
        /// Patterns of the files that are taken; when empty, files with a picture's extension are.
        public var including: [GlobPattern]
        /// Patterns of the files and folders that are left out.
        public var excluding: [GlobPattern]

        /// Whether each frame of an animation is a record, with the id `anim.gif#1` and so on. Pages of TIFF files
        /// always are.
        public var takesEveryFrame = false

        /// Whether a folder that cannot be listed ends the listing. Otherwise it is passed over.
        public var isStrict = false

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

    package init(paths: [String], selection: Selection = Selection()) {
        self.paths = paths
        self.selection = selection
    }

    public var folders: [String] { paths.filter(Self.isFolder) }

    public var keepsFirstListing: Bool {
        !folders.isEmpty || paths.contains { RecordListing.mayHaveFrames($0, selection.takesEveryFrame) }
    }

    public func takes(_ path: String) -> Bool {
        let slash = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        guard let parent = FilePlace.resolved(slash.isEmpty ? "/" : String(slash)) else { return false }
        let whole = FolderWalk.root(parent) + (path.split(separator: "/").last ?? "")
        return folders.contains { folder in
            guard let root = FilePlace.resolved(folder).map(FolderWalk.root), whole.hasPrefix(root) else {
                return false
            }
            let inside = whole.dropFirst(root.count)
            let isPassedOver = inside.split(separator: "/").contains { $0.hasPrefix(".") }
            let ends = inside.indices.filter { inside[$0] == "/" } + [inside.endIndex]
            let isExcluded = ends.contains { selection.excludes(String(inside[..<$0])) }
            return !isPassedOver && !isExcluded && selection.includes(String(inside))
        }
    }

    /// - Throws: ``ApusError/file(path:message:)`` when a folder of those given cannot be listed, or a path without a
    ///   picture's extension does not exist. A missing picture is an error record.
    public func records() throws(ApusError) -> RecordListing {
        try files().withFrames { [selection] record in Self.frameCount(record, selection) }
    }

    /// The number of pages or frames of a record's file; nil for one that has no more than one.
    private static func frameCount(_ record: ImageRecord, _ selection: Selection) -> Int? {
        guard case .file(let path) = record.source else { return nil }
        return RecordListing.frameCount(path, selection.takesEveryFrame)
    }

    /// Begins to list the files. A file is one record, whatever it holds.
    private func files() throws(ApusError) -> RecordListing {
        for path in paths { try Self.check(path) }
        var paths = paths[...]
        var folder: (walk: FolderWalk, path: String, count: Int)?
        let tally = SkippedFileCounter()
        return RecordListing(tally) { [selection] () throws(ApusError) -> ImageRecord? in
            while true {
                while let file = try folder?.walk.next() {
                    guard selection.includes(file.inside) else {
                        if selection.including.isEmpty { tally.add(fileNamed: file.inside) }
                        continue
                    }
                    folder?.count += 1
                    return Self.record(file)
                }
                if let folder, folder.count == 0 {
                    let wanted = selection.including.isEmpty ? "no pictures" : "no files that match a pattern"
                    let others = tally.value.isEmpty ? "" : "; passed over: \(tally.value)"
                    throw .file(path: folder.path, message: "holds \(wanted)\(others)")
                }
                folder = nil
                guard let path = paths.popFirst() else { return nil }
                guard Self.isFolder(path) else { return ImageRecord(id: path, source: .file(path)) }
                folder = (
                    try FolderWalk(path, tally, isStrict: selection.isStrict, isPruned: selection.excludes), path, 0
                )
            }
        }
    }

    public func records(keeping list: FirstListing) throws(ApusError) -> RecordListing {
        for path in paths { try Self.check(path) }
        guard keepsFirstListing else { return try records() }
        if list.isComplete {
            try list.begin(request)
            let tally = SkippedFileCounter()
            return RecordListing(tally) { () throws(ApusError) -> ImageRecord? in try list.next(tally) }
                .withFrames { [selection] record in
                    guard RecordListing.mayHaveFrames(record.id, selection.takesEveryFrame) else { return nil }
                    // Lists of earlier versions have no numbers of frames.
                    return list.frameCount ?? Self.frameCount(record, selection)
                }
        }
        let listing = try files()
        try list.begin(request)
        return RecordListing(listing.tally) { () throws(ApusError) -> ImageRecord? in
            guard let record = try listing.next() else {
                try list.end(listing.passedOver)
                return nil
            }
            return record
        }.withFrames { [selection] (record) throws(ApusError) in
            let mayHaveFrames = RecordListing.mayHaveFrames(record.id, selection.takesEveryFrame)
            let count = mayHaveFrames ? Self.frameCount(record, selection) ?? 1 : nil
            try list.append(record, frameCount: count)
            return count
        }
    }

    /// The paths and patterns of the dataset, as text that is the same for equal datasets.
    private var request: String {
        let parts = [paths.map(FolderWalk.root), selection.including.map(\.text), selection.excluding.map(\.text)]
        return parts.map { $0.map { $0.debugDescription }.joined(separator: " ") }.joined(separator: "; ")
    }

    private static func record(_ file: FolderWalk.File) -> ImageRecord {
        let label = file.inside.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(file.inside[..<$0]) }
        guard file.isNamedInText else {
            return ImageRecord(id: file.path, label: label, source: .failure(unnamed))
        }
        return ImageRecord(id: file.path, label: label, source: .file(file.path))
    }

    /// The error of a file whose name is not UTF-8, so that it cannot be opened by path.
    static let unnamed = RecordError(stage: "read", code: "name", message: "the file's name is not UTF-8 text")

    /// Refuses a path that does not exist and has no picture's extension, such as that of a missing folder.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    package static func check(_ path: String) throws(ApusError) {
        var information = stat()
        guard stat(path, &information) != 0 else { return }
        let code = errno
        guard !isNamedLikePicture(path) else { return }
        let message = code == ENOENT ? "no such file or folder" : FileContent.systemMessage(code)
        throw .file(path: path, message: message)
    }

    /// Whether a name has the extension of a picture.
    static func isNamedLikePicture(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return Image.fileExtensions.contains(name[name.index(after: dot)...].lowercased())
    }

    package static func isFolder(_ path: String) -> Bool {
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
