import Apus
import ArgumentParser

/// The options for inputs and the choice of their pictures.
package struct DatasetOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            "Take the files that match this pattern, such as '*.jpg' or 'cats/**'; may be repeated.",
            valueName: "glob"))
    package var include: [String] = []

    @Option(
        help: ArgumentHelp("Leave out files and folders that match this pattern; may be repeated.", valueName: "glob"))
    package var exclude: [String] = []

    @Flag(
        help:
            "Take all frames of animated GIF, WebP and PNG files, not only the first; all TIFF pages are always taken."
    )
    package var everyFrame = false

    @Flag(help: "End the run at a folder that cannot be listed. Otherwise it is passed over, counted and named.")
    package var strict = false

    @Option(help: ArgumentHelp("The manifest's column of ids (default: id).", valueName: "name"))
    package var idColumn: String?

    @Option(
        help: ArgumentHelp(
            "The manifest's column of paths (default: path, file, filename, file_name or image).", valueName: "name"))
    package var pathColumn: String?

    @Option(help: ArgumentHelp("The manifest's column of labels (default: label, class or target).", valueName: "name"))
    package var labelColumn: String?

    @Option(
        help: ArgumentHelp(
            "The list on standard input (-): a path per line (lines), a zero byte after each path (nul), or JSON. "
                + "With --input NAME=@2, a line has a tab between the paths.",
            valueName: "form"))
    package var stdin = StandardInputDataset.Form.lines

    @Option(
        help: ArgumentHelp(
            """
            The input is raw frames as FFmpeg writes them, of WIDTHxHEIGHTxPIXELS, such as 640x480xrgb24, with @RATE \
            appended for --fps; pixels are \(FrameFormat.Pixels.allCases.map(\.rawValue).joined(separator: ", ")).
            """, valueName: "format"),
        transform: FrameFormat.reading("WIDTHxHEIGHTxPIXELS and perhaps @RATE, such as 640x480xrgb24@25"))
    package var frames: FrameFormat?

    @Option(
        help: ArgumentHelp(
            "The frames per second to take, evenly spread, of videos, or of raw frames whose rate --frames gives.",
            valueName: "rate"),
        transform: FrameFormat.Rate.reading("frames a second, such as 25 or 30000/1001"))
    package var fps: FrameFormat.Rate?

    @Option(
        help: ArgumentHelp(
            """
            The command that fetches pictures that an argument or a list names by s3://, gs://, http:// or \
            https://, such as 'aws s3 cp {} -'. The name replaces {}. The command runs without a shell, and writes \
            the picture to its standard output.
            """, valueName: "command"))
    package var fetchCommand: String?

    @Option(help: ArgumentHelp("The time limit for fetching a picture once (default: 60).", valueName: "seconds"))
    package var fetchTimeout: Double?

    @Option(help: ArgumentHelp("How often fetching a picture is tried again (default: 2).", valueName: "count"))
    package var fetchRetries: Int?

    @Flag(help: "Drop the oldest waiting frames when more arrive, to keep up with a live source.")
    package var dropLate = false

    package func validate() throws {
        guard frames != nil || !dropLate else {
            throw ValidationError("--drop-late is about raw frames; say what they are with --frames")
        }
        if fetchCommand == nil, fetchTimeout != nil || fetchRetries != nil {
            throw ValidationError("--fetch-timeout and --fetch-retries belong to --fetch-command")
        }
        if let fetchTimeout, !(fetchTimeout > 0 && fetchTimeout <= 86_400) {
            throw ValidationError("--fetch-timeout must be more than 0 and at most 86400 seconds")
        }
        if let fetchRetries { try ExecutionOptions.check(fetchRetries, "--fetch-retries", from: 0, atMost: 100) }
    }

    /// The dataset of the inputs.
    ///
    /// - Parameters:
    ///   - decoding: How pictures are decoded.
    ///   - columns: The columns of further inputs of the network, by their names.
    package func dataset(
        _ inputs: [String], decoding: Image.DecodingOptions, columns: [String: String] = [:],
        labelledBy pattern: LabelPattern? = nil
    ) throws(ApusError) -> any Dataset {
        var options = DatasetKind.Options()
        options.selection = FileDataset.Selection(
            including: include.map { GlobPattern($0) }, excluding: exclude.map { GlobPattern($0) })
        options.selection.takesEveryFrame = everyFrame
        options.selection.isStrict = strict
        options.columns = ManifestDataset.Columns(id: idColumn, path: pathColumn, label: labelColumn, inputs: columns)
        options.standardInput = stdin
        options.frames = frames
        options.thinning = FrameDataset.Thinning(rate: fps, dropsLate: dropLate)
        options.maximumPixelCount = decoding.maximumPixelCount
        options.labelPattern = pattern
        if let fetchCommand {
            options.fetch = try FetchCommand(
                fetchCommand, limit: .seconds(fetchTimeout ?? 60), retries: fetchRetries ?? 2)
        }
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
