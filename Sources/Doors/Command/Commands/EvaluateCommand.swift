import Apus
import ArgumentParser
import FoundationEssentials
import Logging
import Measuring
import SharedOptions

/// `apus evaluate`: compares predictions with labels or marked objects.
struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Compare predictions with labels, or with marked objects.",
        discussion: """
            EXAMPLES:
              apus evaluate squeezenet1_1.onnx photos/
              apus evaluate squeezenet1_1.onnx labels.csv --report report.html
              apus evaluate squeezenet1_1.onnx shard-000.tar shard-001.tar --json
              apus evaluate squeezenet1_1.onnx photos/ --label-pattern '([a-z]+)-[0-9]+'
              apus evaluate yolox_tiny.onnx val2017/ --annotations instances_val2017.json
              apus evaluate yolov8n-pose.onnx val2017/ --annotations person_keypoints.json
              apus evaluate segformer.onnx photos/ --truth masks/
              apus evaluate depth.onnx photos/ --task depth --truth depths/
              apus evaluate dinov2_small.onnx labelled/ --task embed
              apus evaluate ocr.recipe.json pages/ --truth texts.csv
              apus evaluate --results results.json --annotations instances_val2017.json

            Inputs are those of apus predict. A picture's label comes from the first
            subfolder in its path (photos/cat/1.jpg), the label column of a manifest, the
            .cls or .json member beside it in a tar archive, the array of labels in an
            .npz archive, or with --label-pattern from a part of its id.

            A label is the exact name of a class or its index. Otherwise it is compared
            with the names, or with the parts of names between commas; letter case is
            ignored, and "_" and "-" count as spaces. A label that matches no class, or
            several, ends the run before the first prediction; in compressed archives and
            on standard input, it ends the run when it is read. With --skip-unknown-labels
            such records are counted and left out. Records without a label are always
            counted and left out. Damaged pictures are counted and make the exit code 1.

            The precision of a class is null if the class was never predicted. Its recall is
            null if no picture has this label. The means count null as 0. --bins is the
            number of bins of equal width for the expected calibration error.

            With --annotations, COCO's ground truth, objects are compared: boxes of
            detectors, masks of --task segment, and points of --task pose or of a recipe.
            The figures are average precision and recall by COCO's rules, with the numbers
            of pycocotools. The network runs with a confidence of at least 0.001 and keeps
            100 objects a picture, unless options say otherwise. With --results nothing runs: the file is a list of COCO
            results, as apus predict --format coco writes, with boxes, masks or keypoints.

            With --truth FOLDER, the class of every pixel of photos/a.jpg is compared with
            masks/a.png; the results are the mean intersection over union and the share of
            correct pixels. With --task depth, depths are compared with those of
            depths/a.png or depths/a.npy; the results are the relative and the root mean
            square error, and the shares of pixels within a ratio of 1.25, 1.25² and 1.25³.
            With --truth FILE, a CSV or JSON Lines file with columns file and
            text, the texts that a recipe or a recogniser of lines reads are compared; the
            result is the character error rate. With --task embed, each labelled picture is
            a query. The recall at k is the share of pictures for which one of the k nearest
            pictures has the same label.
            """)

    @Argument(help: ArgumentHelp("A model file, or zoo:NAME.", valueName: "model"), completion: .file())
    var model: String?

    @Argument(help: ArgumentHelp("Labelled or marked pictures.", valueName: "dataset"), completion: .file())
    var inputs: [String] = []

    @OptionGroup(title: "Objects") var objects: MarkedObjectOptions

    @OptionGroup(title: "Depths") var depths: DepthTruthOptions

    @OptionGroup var loading: ModelLoadingOptions

    @OptionGroup(title: "Dataset") var dataset: DatasetOptions
    @OptionGroup(title: "Dataset") var further: InputValueOptions

    @Option(
        help: ArgumentHelp(
            "A regular expression for ids, whose group matches the label.", valueName: "regex"))
    var labelPattern: String?

    @Flag(help: "Count records whose label is not a class, and go on.")
    var skipUnknownLabels = false

    @Flag(help: "Write the figures as one JSON document.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Also write a page with charts and the worst mistakes, as a single HTML file.", valueName: "file"),
        completion: .file())
    var report: String?

    @Option(help: ArgumentHelp("The number of bins of the calibration.", valueName: "count"))
    var bins = 15

    @Option(help: ArgumentHelp("The number of classes, confusions and mistakes to show.", valueName: "count"))
    var show = 20

    @OptionGroup var naming: LabelOptions
    @OptionGroup(title: "Preprocessing") var size: InputSizeOptions
    @OptionGroup(title: "Preprocessing") var preprocessing: PreprocessingOptions
    @OptionGroup(title: "Execution") var execution: ExecutionOptions

    @Option(help: ArgumentHelp("Concurrent runs, which share the threads.", valueName: "count"))
    var streams = 1

    @Option(help: ArgumentHelp("Pictures per run; answers do not depend on it.", valueName: "count"))
    var batch = 8

    @Option(
        help: ArgumentHelp("Show progress on standard error: auto (on a terminal), always or never.", valueName: "when")
    )
    var progress = ProgressMode.auto

    @OptionGroup(title: "Output") var writing: WritingOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func validate() throws {
        if objects.results != nil {
            guard model == nil else { throw ValidationError("--results takes no model and no pictures") }
        } else if model == nil || inputs.isEmpty {
            throw ValidationError(
                "\(model == nil ? "the model and " : "")the pictures are missing; or give --results and --annotations")
        }
        if depths.isMentioned, objects.chosenTask != .depth {
            throw ValidationError("options about depths need --task depth and --truth")
        }
        try ExecutionOptions.check(streams, "--streams", atMost: ExecutionOptions.maximumThreads)
        try ExecutionOptions.check(batch, "--batch", atMost: RunOptions.maximumBatch)
        try ExecutionOptions.check(bins, "--bins", atMost: 10_000)
        try ExecutionOptions.check(show, "--show", from: 0, atMost: 1000)
        try ReportFile.check(report)
    }

    func run() async throws {
        guard let name = model else { return try evaluateResults() }
        let logger = logging.makeLogger()
        let sessionOptions = try execution.sessionOptions(streams: streams, logger: logger)
        let pattern = try labelPattern.map { text throws(ApusError) in try LabelPattern(text) }
        let dataset = try dataset.dataset(
            inputs, decoding: preprocessing.decoding, columns: further.columns, labelledBy: pattern)
        var claims = writing.claims(
            model: name,
            reading: [
                objects.annotations, objects.detection.postprocess, naming.labels, preprocessing.preprocess,
                execution.backends.tuningFile, objects.chosenTask == .text ? objects.truth : nil,
            ] + inputs + further.files, dataset: dataset)
        if let report { try claims.add(report, as: .page(.evaluation), option: "--report") }
        try claims.check()
        if RecipeFile.isRecipe(name) {
            guard further.input.isEmpty else {
                throw ApusError.usage("\(name): the inputs of a recipe stand in its stages; leave out --input")
            }
            return objects.annotations == nil
                ? try await evaluateText(recipe: name, sessionOptions, dataset, claims, logger)
                : try await evaluateObjects(recipe: name, sessionOptions, dataset, claims, logger)
        }
        let loaded = try loading.load(name, streams: streams)
        let model = try size.applied(to: further.applied(to: loaded, decoding: preprocessing.decoding))
        try model.checkBatch()
        if objects.annotations != nil {
            return try await evaluateObjects(model, sessionOptions, dataset, claims, logger)
        }
        switch objects.chosenTask {
        case .segment, .depth, .embed: return try await evaluateOthers(model, sessionOptions, dataset, claims, logger)
        case .text: return try await evaluateText(model, sessionOptions, dataset, claims, logger)
        default: break
        }
        let steps = try preprocessing.preprocessing(for: model)
        let labels = try naming.names() ?? model.labels
        let classifier = try await Classifier(
            model, options: sessionOptions, preprocessing: steps.steps, labels: labels,
            decoding: preprocessing.decoding)
        if steps.isGuessed { PreprocessingOptions.warnOfGuess(model, logger) }
        classifier.session.warn(logger)

        var options = Evaluation.Options()
        (options.batch, options.binCount, options.mistakeCount) = (batch, bins, show)
        (options.keepsThumbnails, options.skipsUnknownLabels) = (report != nil, skipUnknownLabels)
        var line = ProgressLine(progress, isQuiet: logging.quiet, rowsGoToTerminal: false)
        line.begin()
        let title = "\(model.name) on \(inputs.joined(separator: ", "))"
        var early: Evaluation?
        let evaluation: Evaluation
        Interruption.beginGracefulWork()
        defer { Interruption.endGracefulWork() }
        do {
            defer { line.clear() }
            evaluation = try await classifier.evaluate(dataset, options: options) {
                line.update($0)
            } endedEarly: {
                early = $0
            }
        } catch {
            if let early { try answer(early, title: title + ", a part", claims) }
            guard Interruption.hasBegun else { throw error }
            StandardError.write("apus: interrupted")
            throw ExitStatus.interrupted
        }
        try answer(evaluation, title: title, claims)
        if evaluation.failedCount > 0 { throw ExitStatus.doneWithFailures }
    }

    private func answer(_ evaluation: Evaluation, title: String, _ claims: OutputClaims) throws {
        try answer(evaluation, EvaluationText(evaluation, title: title, show: show).lines, claims) {
            try EvaluationPage(evaluation, title: title).write(to: $0)
        }
    }

    /// Prints the figures, and then writes the page, because that may fail.
    func answer(
        _ figures: some Encodable, _ lines: @autoclosure () -> [String], _ claims: OutputClaims,
        writingPage write: (String) throws -> Void
    ) throws {
        try json ? StandardOutput.write(json: figures) : StandardOutput.write(lines())
        guard let report else { return }
        try claims.confirm(report)
        try write(report)
    }
}
