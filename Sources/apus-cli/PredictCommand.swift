import Apus
import ArgumentParser
import Logging

/// `apus predict`: the classes of pictures.
struct PredictCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predict",
        abstract: "Predict the classes of pictures.",
        discussion: """
            EXAMPLES:
              apus predict squeezenet1_1.onnx coffee.png
              apus predict squeezenet1_1.onnx photos/ --top 1
              apus predict squeezenet1_1.onnx photos/ -o results.csv
              apus predict squeezenet1_1.onnx photos/ | jq -r .predictions[0].label
              apus predict squeezenet1_1.onnx list.csv shard-000.tar images.npy
              find photos -print0 | apus predict squeezenet1_1.onnx - --stdin nul
              ffmpeg -i video.mp4 -f rawvideo -pix_fmt rgb24 - |
                apus predict squeezenet1_1.onnx - --frames 640x480xrgb24@25 --fps 1
              apus predict other.onnx photos/ --resize fit --scale 1/255 --labels names.txt

            An INPUT is a JPEG or PNG file, recognised by content; a folder, whose pictures
            and those of its subfolders are taken in the order of their names; a manifest
            (.csv, .tsv or .jsonl with columns path and, if need be, id and label, paths
            relative to it); an array (.npy, .npz), whose rows are pictures in uint8 or the
            network's numbers; a tar archive (.tar, .tar.gz) of pictures, such as a shard
            of WebDataset; or -, standard input. With --frames it is raw frames.

            Rows come in the order of the inputs. A picture that is missing or damaged
            becomes an error row while the others are predicted, and the exit code is 1.
            Ids are unique, or the run does not start and says which repeat; where records
            cannot be listed ahead (standard input, .tar.gz, .npz) it ends at the repeat.

            Preprocessing and labels are read from NAME.preprocessor_config.json (or
            preprocessor_config.json) and NAME.config.json (or config.json) beside the
            model. In CSV a text that a spreadsheet would run as a formula gets an
            apostrophe in front.
            """)

    @OptionGroup var network: ModelOptions

    @Argument(help: ArgumentHelp("Pictures, folders, manifests, arrays, archives, or -.", valueName: "input"))
    var inputs: [String]

    @OptionGroup(title: "Inputs") var dataset: DatasetOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Errors") var failures: FailureOptions

    @Option(help: ArgumentHelp("A line each, or JSON (id2label, list or map).", valueName: "file"))
    var labels: String?

    @OptionGroup(title: "Preprocessing") var preprocessing: PreprocessingOptions
    @OptionGroup(title: "Execution") var execution: ExecutionOptions

    @Option(help: ArgumentHelp("Plans that run side by side and share the threads.", valueName: "count"))
    var streams = 1

    @Option(help: ArgumentHelp("Pictures per run; answers do not depend on it.", valueName: "count"))
    var batch = 8

    @Option(
        help: ArgumentHelp("Show progress on standard error: auto (on a terminal), always or never.", valueName: "when")
    )
    var progress = ProgressMode.auto

    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func validate() throws {
        try ExecutionOptions.check(streams, "--streams", atMost: 1024)
        try ExecutionOptions.check(batch, "--batch", atMost: 65_536)
    }

    func run() async throws {
        let logger = logging.makeLogger()
        let clock = ContinuousClock()
        let options = try execution.sessionOptions(streams: streams)
        try output.checkOutput(isNoneOf: [network.model, labels, preprocessing.preprocess].compactMap { $0 })
        let dataset = try dataset.dataset(inputs)
        try output.checkOutput(isNoneOf: dataset.containers)
        var firstIDs: [String] = []
        var total: Int?
        if dataset.canBeListedAhead {
            total = try dataset.survey { record throws(ApusError) in
                if case .file(let path) = record.source { try output.checkOutput(isNoneOf: [path]) }
                if firstIDs.count < 1000 { firstIDs.append(record.id) }
            }.recordCount
        }

        let start = clock.now
        let model = try network.load()
        let steps = try preprocessing.preprocessing(for: model)
        let labels = try labels.map { path throws(ApusError) in try Labels(contentsOf: path) } ?? model.labels
        if steps.isGuessed {
            logger.warning(
                "\(model.name): nothing says how pictures become inputs; guessing RGB from 0 to 1 (see --preprocess)")
        }
        let loaded = clock.now
        let classifier = try await Classifier(
            model, options: options, preprocessing: steps.steps, labels: labels,
            decoding: Image.DecodingOptions(maximumPixelCount: preprocessing.maximumPixels))
        classifier.session.warn(logger)
        logger.debug("\(model.name): read in \((loaded - start).inMilliseconds), \(model.graph.nodes.count) nodes")
        logger.debug(
            "planned in \((clock.now - loaded).inMilliseconds), threads: \(options.threads), streams: \(streams)")
        logger.debug("\(total.map(String.init) ?? "unknown number of") pictures in batches of \(batch)")

        let progress = ProgressLine(
            progress, total: total, isQuiet: logging.quiet, rowsGoToTerminal: output.goesToTerminal)
        var run = PredictionRun(
            dataset: dataset, total: total, sink: try output.makeSink(model: model, ids: firstIDs), failures: failures,
            progress: progress, logger: logger, isQuiet: logging.quiet)
        try await run.predict(classifier, batch: batch)
    }
}

/// What happens when pictures cannot be predicted.
struct FailureOptions: ParsableArguments {
    enum Reaction: String, CaseIterable, ExpressibleByArgument {
        case skip, stop
    }

    @Option(help: ArgumentHelp("After an error row go on (skip), or end the run (stop).", valueName: "reaction"))
    var onError = Reaction.skip

    @Option(help: ArgumentHelp("End the run when there are more error rows than this.", valueName: "count"))
    var maxErrors: Int?

    func validate() throws {
        if let maxErrors { try ExecutionOptions.check(maxErrors, "--max-errors", from: 0) }
    }

    /// Whether a run with so many error rows ends.
    func endsRun(after failureCount: Int) -> Bool {
        failureCount > (onError == .stop ? 0 : maxErrors ?? .max)
    }
}
