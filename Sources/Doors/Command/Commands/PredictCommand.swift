import Apus
import ArgumentParser
import FoundationEssentials
import Logging
import Measuring
import SharedOptions

/// `apus predict`: runs a model or a recipe on pictures.
struct PredictCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "predict",
        abstract: "Find classes, objects, masks, points or text in pictures, compare them, or make new ones.",
        discussion: """
            EXAMPLES:
              apus predict squeezenet1_1.onnx coffee.png
              apus predict squeezenet1_1.onnx photos/ --top 1
              apus predict squeezenet1_1.onnx photos/ -o results.csv
              apus predict squeezenet1_1.onnx photos/ -o results.csv --resume
              apus predict squeezenet1_1.onnx photos/ -o part2.jsonl --shard 2/8
              apus predict squeezenet1_1.onnx photos/ -o part.jsonl --shard auto/8
              apus predict squeezenet1_1.onnx photos/ | jq -r .predictions[0].label
              apus predict squeezenet1_1.onnx list.csv shard-000.tar images.npy
              find photos -print0 | apus predict squeezenet1_1.onnx - --stdin nul
              ffmpeg -i video.mp4 -f rawvideo -pix_fmt rgb24 - |
                apus predict squeezenet1_1.onnx - --frames 640x480xrgb24@25 --fps 1
              apus predict squeezenet1_1.onnx street.mp4 --fps 2
              apus predict squeezenet1_1.onnx list.csv --fetch-command 'aws s3 cp {} -'
              apus predict squeezenet1_1.onnx photos/ -o a.csv --profile --trace run.json
              apus predict other.onnx photos/ --resize fit --scale 1/255 --labels names.txt
              apus predict yolox_tiny.onnx photos/ --task detect --draw drawn/
              apus predict yolox_tiny.onnx photos/ --task detect -o a.json --format coco
              apus predict yolox_tiny.onnx photos/ --task detect --yolo labels/ -o a.jsonl
              apus predict squeezenet1_1.onnx photos/ -o a.csv --report page.html
              apus predict segformer.onnx photos/ --task segment --masks masks/ -o a.jsonl
              apus predict yolov8n-pose.onnx photos/ --draw drawn/ -o poses.jsonl
              apus predict face_landmark.tflite faces/ --task landmarks -o points.csv
              apus predict dinov2_small.onnx photos/ --task embed -o vectors.npy
              apus predict depth_anything.onnx photos/ --depth depth/ --draw colors/
              apus predict espcn_x3.onnx photos/ --task image --images larger/
              apus predict iris_landmark.tflite eyes/ --task raw -o outputs.jsonl
              apus predict transfer.onnx photos/ --input style=waves.jpg --images new/
              apus predict signatures.onnx pairs.csv --input second=@other -o scores.jsonl
              apus predict ocr.recipe.json pages/ -o pages.jsonl --draw drawn/

            An INPUT is one of these:
              picture    JPEG, PNG, WebP, TIFF, GIF, BMP, PNM, HEIC, AVIF or JPEG 2000,
                         recognised by content; each page of a TIFF is a record
              folder     its pictures and those of its subfolders, in the order of their
                         names
              manifest   a .csv, .tsv or .jsonl file with a column path and optional
                         columns id and label; paths are relative to the manifest.
                         --input NAME=@COLUMN names a column of other pictures
              array      a .npy or .npz file, whose rows are pictures in uint8 or tensors
                         for the network
              archive    a .tar or .tar.gz file of pictures, such as a shard of WebDataset
              video      .mp4, .mkv, .mov, .webm and others; the program ffmpeg decodes
                         the frames
              -          standard input: a list of pictures, or raw frames with --frames

            Rows come in the order of the inputs. A missing or damaged picture becomes an
            error row while the others are predicted, and the exit code is 1. Ids must be
            unique: the run does not start if one repeats. If records cannot be listed
            ahead (standard input, .tar.gz, .npz), the run ends at the repeated id.

            Preprocessing and labels are read from NAME.preprocessor_config.json (or
            preprocessor_config.json) and NAME.config.json (or config.json) beside the
            model. In CSV, an apostrophe is added before text that a spreadsheet would run
            as a formula: at the start of a cell, and after each comma, semicolon, tab or
            line break in the cell.

            No committed row is lost if the run ends early for any reason: --resume
            continues after the committed rows, and the finished file is the same as
            without interruption (for a database, its rows are). OUTPUT.run.json beside the
            file has the run's progress and the checksums that apus merge --verify
            compares. With --shard, OUTPUT.run.rows has the positions of rows in the list.

            --shard auto reads SLURM_ARRAY_TASK_ID with the array's MIN, STEP and COUNT,
            SLURM_PROCID with SLURM_NTASKS, AWS_BATCH_JOB_ARRAY_INDEX with
            AWS_BATCH_JOB_ARRAY_SIZE, or JOB_COMPLETION_INDEX of Kubernetes, which knows no
            count: auto/8. It is refused where none is set or two of them disagree.

            The task comes from --task, from NAME.postprocess.json or config.json beside
            the model, from its metadata, or from the names and shapes of its outputs; apus
            inspect shows which. If none of them gives a task, the command ends; its message
            describes the outputs and names the tasks that might fit. Boxes are x, y, width
            and height as fractions of the upright picture, from its upper left; tables and
            COCO results use pixels.

            A MODEL whose name ends in .json is a recipe: a chain of models. The first one
            finds lines of text or objects, and the others look at what it found. Paths in
            a recipe are relative to its file. apus inspect shows the stages.

            --profile goes to standard error, since rows may be on standard output.
            """)

    @OptionGroup var network: ModelOptions

    @Argument(
        help: ArgumentHelp("Pictures, folders, manifests, arrays, archives, or -.", valueName: "input"),
        completion: .file())
    var inputs: [String]

    @OptionGroup(title: "Inputs") var dataset: DatasetOptions
    @OptionGroup(title: "Inputs") var further: InputValueOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Output") var writing: WritingOptions
    @OptionGroup(title: "Errors") var failures: FailureOptions

    @OptionGroup var naming: LabelOptions
    @OptionGroup(title: "Preprocessing") var size: InputSizeOptions
    @OptionGroup(title: "Preprocessing") var preprocessing: PreprocessingOptions
    @OptionGroup(title: "Task") var asked: TaskOptions
    @OptionGroup(title: "Files of pictures") var files: RecordFileOptions
    @OptionGroup(title: "Objects") var detection: DetectionOptions
    @OptionGroup(title: "Execution") var execution: ExecutionOptions

    @OptionGroup var running: RunOptions

    @Option(
        help: ArgumentHelp("Show progress on standard error: auto (on a terminal), always or never.", valueName: "when")
    )
    var progress = ProgressMode.auto

    @OptionGroup(title: "Recording") var recording: RecordingOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func validate() throws {
        try choice.validate()
        if detection.track, running.unordered || running.shard != nil || output.rows.resume {
            throw ValidationError(
                "--track follows all frames in their order, without --unordered, --shard and --resume")
        }
    }

    func run() async throws {
        let logger = logging.makeLogger()
        let clock = ContinuousClock()
        let dataset = try dataset.dataset(inputs, decoding: preprocessing.decoding, columns: further.columns)
        var options = try execution.sessionOptions(streams: try streamCount(dataset), logger: logger)
        let choice = choice
        let recipe = try choice.recipe()
        var claims = writing.claims(
            model: network.model,
            reading: [naming.labels, preprocessing.preprocess, detection.postprocess, execution.backends.tuningFile]
                + (recipe?.paths ?? []) + further.files,
            dataset: dataset)
        try output.add(to: &claims)
        try recording.add(to: &claims, of: "predict")
        var runnerOptions = running.runnerOptions(shard: try chosenShard())
        try files.add(to: &runnerOptions, replacingOthers: writing.force)
        for folder in runnerOptions.files { claims.add(folder) }
        try claims.check()
        let trace = try recording.makeTrace(of: "predict")
        if recording.profile || trace != nil { options.profiler = Profiler(name: network.model, trace: trace) }
        let destination = try output.reserve(model: network.model, maskForm: asked.maskForm)

        let start = clock.now
        network.restrictMemory(streams: options.streams)
        let (predictor, tracking) = try await choice.predictor(
            recipe, options: options, checkingForm: output.checkForm)
        let sessions = predictor.sessions
        let loaded = clock.now
        logger.debug("read and planned in \((loaded - start).inMilliseconds)")
        logger.debug("threads: \(options.threads), streams: \(options.streams), batches of \(running.batchSize)")
        runnerOptions.batch = running.batchSize(for: predictor.content)
        runnerOptions.tracking = tracking
        if output.report != nil { runnerOptions.thumbnailSide = PredictionPage.thumbnailSide }
        let runner = BatchRunner(AnyPredictor(predictor), options: runnerOptions)
        for session in sessions { session.warn(logger) }
        var run = PredictionRun(
            runner: runner, output: destination, failures: failures,
            progress: ProgressLine(progress, isQuiet: logging.quiet, rowsGoToTerminal: output.goesToTerminal),
            logger: logger, showsSummary: !logging.quiet && !output.json,
            answer: { try output.answer($0, notices: sessions.flatMap(\.notices), model: network.model) })
        if let report = output.report {
            run.page = PredictionPage(title: "\(network.model) on \(inputs.joined(separator: ", "))")
            run.writePage = { [claims] page in
                try claims.confirm(report)
                try page.write(to: report)
            }
        }
        let outcome = try await Trace.closing(trace, logger) { () -> ExitStatus? in
            do {
                try await run.predict(dataset)
                return nil
            } catch let status as ExitStatus {
                return status
            }
        }
        if recording.profile { try await printProfile(options) }
        if let outcome { throw outcome }
    }

    /// The part to predict; nil for all. Says which variables chose it, and what the other parts must have.
    private func chosenShard() throws(ApusError) -> Shard? {
        guard let (shard, variables) = try running.shard?.resolved(ProcessInfo.processInfo.environment) else {
            return nil
        }
        guard !logging.quiet else { return shard }
        if !variables.isEmpty { StandardError.write("apus: shard \(shard) by \(variables.joined(separator: ", "))") }
        let instructions = Catalog.instructions(computingIn: execution.backends.precision)
        StandardError.write(
            "apus: shard \(shard) computes with \(instructions), which all parts must have to be merged "
                + "(--instructions)")
        return shard
    }

    /// What the options say about the model.
    private var choice: PredictorChoice {
        PredictorChoice(
            model: network.model, loading: network.loading, naming: naming,
            minimumConfidence: output.answers.minConfidence,
            further: further, size: size, preprocessing: preprocessing, asked: asked, files: files, detection: detection
        )
    }

    /// Prints the profile of the runs with the machine's limits, which are measured now because the machine is idle.
    private func printProfile(_ options: Session.Options) async throws(ApusError) {
        let limits = try await MachineLimits.measured(threads: options.threads).share(of: options.streams)
        let device = try await MachineLimits.measured(deviceOf: options)
        guard let profile = options.profiler?.profile(limits: limits, deviceLimits: device) else { return }
        for line in ProfileText(profile).lines { StandardError.write(line) }
    }

    /// The requested number of streams, or the number with the highest throughput, limited by the number of batches.
    private func streamCount(_ dataset: some Dataset) throws(ApusError) -> Int {
        if let streams = running.streams { return streams }
        let threads = execution.threads ?? Session.Options.availableThreads
        let maximum = BatchOptions.streams(forThreads: threads)
        guard dataset.canBeListedAhead else { return maximum }
        let batch = running.batchSize
        let count = try dataset.records().next(maximum * batch).count
        return BatchOptions.streams(forThreads: threads, batches: (count + batch - 1) / batch)
    }
}
