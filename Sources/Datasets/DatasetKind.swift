import Inference
import Platform

/// A kind of dataset, as the inputs of commands mean it.
public struct DatasetKind: Sendable {
    /// What messages call it.
    public let name: String
    /// Whether an input is of this kind, by what it is, its content, or its name.
    package let accepts: @Sendable (_ input: String) -> Bool
    package let make: @Sendable (_ input: String, _ options: Options) throws(ApusError) -> any Dataset
}

extension DatasetKind {
    /// What can be said about the inputs of a command.
    public struct Options: Sendable {
        /// Which files of folders are taken.
        public var selection = FileDataset.Selection()
        /// What lists call their columns.
        public var columns = ManifestDataset.Columns()
        /// How standard input lists pictures.
        public var standardInput = StandardInputDataset.Form.lines
        /// The form of raw frames, when inputs are these.
        public var frames: FrameFormat?
        /// Which frames are left out.
        public var thinning = FrameDataset.Thinning()
        /// What in a record's id is its label; where nil, what the dataset says.
        public var labelPattern: LabelPattern?

        /// Makes options.
        public init() {}
    }
}

extension DatasetKind {
    package static let standardInput = DatasetKind(
        name: "standard input", accepts: { $0 == "-" },
        make: { _, options in .standardInput(options.standardInput, columns: options.columns) })

    package static let folder = DatasetKind(
        name: "folder", accepts: FileDataset.isFolder, make: { .imageFolder($0, $1.selection) })

    package static let manifest = DatasetKind(
        name: "manifest",
        accepts: { ManifestDataset.Form(fileName: $0) != nil && FileStart($0)?.isPicture != true },
        make: { .manifest($0, columns: $1.columns) })

    package static let numPy = DatasetKind(
        name: "NumPy array",
        accepts: { path in
            guard let start = FileStart(path) else { return false }
            return start.isNumPy || start.isZip
        },
        make: { path, _ in .numPy(path) })

    package static let tar = DatasetKind(
        name: "tar archive",
        accepts: { path in
            let name = path.lowercased()
            if [".tar", ".tar.gz", ".tgz"].contains(where: name.hasSuffix) {
                return FileStart(path)?.isPicture != true
            }
            return FileStart(path)?.isTar == true
        },
        make: { path, _ in .tar(path) })

    package static let file = DatasetKind(name: "file", accepts: { _ in true }, make: { path, _ in .files([path]) })
}

extension Catalog {
    /// What the inputs of a command mean, each recognised by itself and taken in their order: `-` is standard input,
    /// otherwise a folder, a manifest, NumPy arrays, a tar archive, or a picture.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when inputs and options contradict one another; ``ApusError/file(path:message:)``
    ///   when an input is not there, unless it is named like a picture, whose record then says so.
    public static func dataset(
        of inputs: [String], _ options: DatasetKind.Options = DatasetKind.Options()
    ) throws(ApusError) -> any Dataset {
        guard inputs.count(where: { $0 == "-" }) <= 1 else {
            throw .usage("standard input (-) is given more than once")
        }
        var datasets: [any Dataset] = []
        for input in inputs {
            if input != "-" { try FileDataset.check(input) }
            if let format = options.frames {
                let frames: FrameDataset =
                    input == "-"
                    ? try .frames(format, options.thinning) : try .frames(format, from: input, options.thinning)
                datasets.append(frames)
            } else if let kind = Catalog.datasets.first(where: { $0.accepts(input) }) {
                datasets.append(try kind.make(input, options))
            }
        }
        if options.frames != nil, inputs.count > 1 { throw .usage("frames come from one input, not \(inputs.count)") }
        let joined: any Dataset = datasets.count == 1 ? datasets[0] : JoinedDataset(datasets)
        return options.labelPattern.map { joined.labelled(by: $0) } ?? joined
    }
}
