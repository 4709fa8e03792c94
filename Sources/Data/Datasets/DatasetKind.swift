import Images
import Inference
import Models
import Platform

/// A kind of dataset that an input of a command can name.
public struct DatasetKind: Sendable {
    /// The name in messages.
    public let name: String
    /// Whether an input is of this kind, judged by its file type, content or name.
    package let accepts: @Sendable (_ input: String) -> Bool
    package let make: @Sendable (_ input: String, _ options: Options) throws(ApusError) -> any Dataset
}

extension DatasetKind {
    /// The options for the inputs of a command.
    public struct Options: Sendable {
        /// The files that are taken from folders.
        public var selection = FileDataset.Selection()
        /// The names of the columns in manifests.
        public var columns = ManifestDataset.Columns()
        /// The form of the list on standard input.
        public var standardInput = StandardInputDataset.Form.lines
        /// The format of raw frames; nil when the input has none.
        public var frames: FrameFormat?
        /// The frames that are left out.
        public var thinning = FrameDataset.Thinning()
        /// The maximum number of pixels of a video's frame.
        public var maximumPixelCount = Image.defaultMaximumPixelCount
        /// What fetches pictures that inputs, manifests and lists name by `s3://`, `gs://`, `http://` or `https://`;
        /// nil for nothing, so that such names are errors.
        public var fetch: FetchCommand?
        /// The part of a record's id that is its label; nil for the dataset's own labels.
        public var labelPattern: LabelPattern?

        /// Makes options.
        public init() {}
    }
}

extension DatasetKind {
    package static let standardInput = DatasetKind(
        name: "standard input", accepts: { $0 == "-" },
        make: { _, options in .standardInput(options.standardInput, columns: options.columns, fetch: options.fetch) })

    package static let remote = DatasetKind(
        name: "fetched picture", accepts: FetchCommand.isRemote,
        make: { name, options throws(ApusError) in
            guard let command = options.fetch else {
                throw .usage("\(name.printable): is not a file; --fetch-command says how it is fetched")
            }
            return FetchedDataset(name: name, command: command)
        })

    package static let folder = DatasetKind(
        name: "folder", accepts: FileDataset.isFolder, make: { .imageFolder($0, $1.selection) })

    package static let manifest = DatasetKind(
        name: "manifest",
        accepts: { ManifestDataset.Form(fileName: $0) != nil && FileStart($0)?.isPicture != true },
        make: { .manifest($0, columns: $1.columns, fetch: $1.fetch) })

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

    package static let video = DatasetKind(
        name: "video", accepts: VideoDataset.isVideo,
        make: { .video($0, rate: $1.thinning.rate, maximumPixelCount: $1.maximumPixelCount) })

    package static let file = DatasetKind(
        name: "file", accepts: { _ in true }, make: { .files([$0], $1.selection) })
}

extension Catalog {
    /// The dataset of a command's inputs, in their order. Each input is recognised separately: `-` is standard input;
    /// others are a name of a
    /// picture to be fetched, a folder, a manifest, NumPy arrays, a tar archive, a video or a picture.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when inputs and options contradict one another;
    ///   ``ApusError/file(path:message:)`` when an input does not exist. A missing input with a picture's extension
    ///   becomes an error record instead.
    public static func dataset(
        of inputs: [String], _ options: DatasetKind.Options = DatasetKind.Options()
    ) throws(ApusError) -> any Dataset {
        guard inputs.count(where: { $0 == "-" }) <= 1 else {
            throw .usage("standard input (-) is given more than once")
        }
        var datasets: [any Dataset] = []
        for input in inputs {
            if input != "-", !FetchCommand.isRemote(input) { try FileDataset.check(input) }
            if let format = options.frames {
                let frames: FrameDataset =
                    input == "-"
                    ? try .frames(format, options.thinning) : try .frames(format, from: input, options.thinning)
                datasets.append(frames)
            } else if let kind = Catalog.datasets.first(where: { $0.accepts(input) }) {
                datasets.append(try kind.make(input, options))
            }
        }
        if options.frames == nil, options.thinning.rate != nil, !inputs.contains(where: VideoDataset.isVideo) {
            throw .usage("--fps is about videos and raw frames; no input is a video, and --frames says what others are")
        }
        if options.frames != nil, inputs.count > 1 { throw .usage("frames come from one input, not \(inputs.count)") }
        let joined: any Dataset = datasets.count == 1 ? datasets[0] : JoinedDataset(datasets)
        return options.labelPattern.map { joined.labelled(by: $0) } ?? joined
    }
}

extension Catalog {
    /// The kinds of datasets, in the order in which an input is tried.
    public static let datasets: [DatasetKind] = [
        .standardInput, .remote, .folder, .manifest, .numPy, .tar, .video, .file,
    ]
}
