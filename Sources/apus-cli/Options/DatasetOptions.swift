import Apus
import ArgumentParser

/// What the inputs are, and which of their pictures are taken.
struct DatasetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take files of folders that have this form, such as '*.jpg' or 'cats/**'; may be repeated.",
            valueName: "glob"))
    var include: [String] = []

    @Option(
        help: ArgumentHelp("Leave out files and folders of this form; may be repeated.", valueName: "glob"))
    var exclude: [String] = []

    @Option(help: ArgumentHelp("A manifest's column of ids (default: id).", valueName: "name"))
    var idColumn: String?

    @Option(
        help: ArgumentHelp(
            "A manifest's column of paths (default: path, file, filename, file_name or image).", valueName: "name"))
    var pathColumn: String?

    @Option(help: ArgumentHelp("A manifest's column of labels (default: label, class or target).", valueName: "name"))
    var labelColumn: String?

    @Option(
        help: ArgumentHelp(
            "What standard input (-) lists: a path a line (lines), paths with a zero byte behind each (nul), or JSON.",
            valueName: "form"))
    var stdin = StandardInputDataset.Form.lines

    @Option(
        help: ArgumentHelp(
            """
            The input is raw frames of WIDTHxHEIGHTxPIXELS, such as 640x480xrgb24, as FFmpeg writes them, with @RATE \
            behind it for --fps; pixels are \(FrameFormat.Pixels.allCases.map(\.rawValue).joined(separator: ", ")).
            """, valueName: "format"),
        transform: FrameFormat.reading("WIDTHxHEIGHTxPIXELS and perhaps @RATE, such as 640x480xrgb24@25"))
    var frames: FrameFormat?

    @Option(
        help: ArgumentHelp(
            "Take this many frames a second, evenly spread; needs the source's rate in --frames.", valueName: "rate"),
        transform: FrameFormat.Rate.reading("frames a second, such as 25 or 30000/1001"))
    var fps: FrameFormat.Rate?

    @Flag(help: "Drop the oldest of the frames that wait when more arrive, to keep up with a live source.")
    var dropLate = false

    func validate() throws {
        guard frames != nil || (fps == nil && !dropLate) else {
            throw ValidationError("--fps and --drop-late are about raw frames; say what they are with --frames")
        }
    }

    /// What the inputs mean.
    func dataset(_ inputs: [String], labelledBy pattern: LabelPattern? = nil) throws(ApusError) -> any Dataset {
        var options = DatasetKind.Options()
        options.selection = FileDataset.Selection(
            including: include.map { GlobPattern($0) }, excluding: exclude.map { GlobPattern($0) })
        options.columns = ManifestDataset.Columns(id: idColumn, path: pathColumn, label: labelColumn)
        options.standardInput = stdin
        options.frames = frames
        options.thinning = FrameDataset.Thinning(rate: fps, dropsLate: dropLate)
        options.labelPattern = pattern
        return try Catalog.dataset(of: inputs, options)
    }
}

extension StandardInputDataset.Form: ExpressibleByArgument {}

extension FrameFormat: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

extension FrameFormat.Rate: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
