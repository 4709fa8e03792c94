import Apus
import ArgumentParser

/// The options for inputs and the choice of their pictures.
struct DatasetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take the files that match this pattern, such as '*.jpg' or 'cats/**'; may be repeated.",
            valueName: "glob"))
    var include: [String] = []

    @Option(
        help: ArgumentHelp("Leave out files and folders that match this pattern; may be repeated.", valueName: "glob"))
    var exclude: [String] = []

    @Flag(
        help:
            "Take every frame of animated GIF, WebP and PNG files, not the first; pages of TIFF files always are taken."
    )
    var everyFrame = false

    @Option(help: ArgumentHelp("The manifest's column of ids (default: id).", valueName: "name"))
    var idColumn: String?

    @Option(
        help: ArgumentHelp(
            "The manifest's column of paths (default: path, file, filename, file_name or image).", valueName: "name"))
    var pathColumn: String?

    @Option(help: ArgumentHelp("The manifest's column of labels (default: label, class or target).", valueName: "name"))
    var labelColumn: String?

    @Option(
        help: ArgumentHelp(
            "The list on standard input (-): a path per line (lines), a zero byte after each path (nul), or JSON.",
            valueName: "form"))
    var stdin = StandardInputDataset.Form.lines

    @Option(
        help: ArgumentHelp(
            """
            The input is raw frames as FFmpeg writes them, of WIDTHxHEIGHTxPIXELS, such as 640x480xrgb24, with @RATE \
            appended for --fps; pixels are \(FrameFormat.Pixels.allCases.map(\.rawValue).joined(separator: ", ")).
            """, valueName: "format"),
        transform: FrameFormat.reading("WIDTHxHEIGHTxPIXELS and perhaps @RATE, such as 640x480xrgb24@25"))
    var frames: FrameFormat?

    @Option(
        help: ArgumentHelp(
            "Frames per second to take, evenly spread; needs the source's rate in --frames.", valueName: "rate"),
        transform: FrameFormat.Rate.reading("frames a second, such as 25 or 30000/1001"))
    var fps: FrameFormat.Rate?

    @Flag(help: "Drop the oldest waiting frames when more arrive, to keep up with a live source.")
    var dropLate = false

    func validate() throws {
        guard frames != nil || (fps == nil && !dropLate) else {
            throw ValidationError("--fps and --drop-late are about raw frames; say what they are with --frames")
        }
    }

    /// The dataset of the inputs.
    func dataset(_ inputs: [String], labelledBy pattern: LabelPattern? = nil) throws(ApusError) -> any Dataset {
        var options = DatasetKind.Options()
        options.selection = FileDataset.Selection(
            including: include.map { GlobPattern($0) }, excluding: exclude.map { GlobPattern($0) })
        options.selection.takesEveryFrame = everyFrame
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
