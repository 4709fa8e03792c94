import Apus
import ArgumentParser
import FoundationEssentials
import Logging
import Measuring
import SharedOptions
import Synchronization

/// `apus compare`: compares configurations.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare backends: their times, layer by layer, and their outputs.",
        discussion: """
            EXAMPLES:
              apus compare squeezenet1_1.onnx photos/ --backends cpu,openblas
              apus compare zoo:resnet50 --backends openblas,cpu,opencl --report report.html
              apus compare squeezenet1_1.onnx --configuration one=backend:cpu,threads:1 \\
                                              --configuration two=backend:cpu,threads:2
              apus compare zoo:resnet50 --configuration tuned=backend:cpu,tuning:cached \\
                                        --configuration plain=backend:cpu,tuning:no
              apus compare detector.onnx --shape images=1,3,640,640
              apus compare m.onnx photos/ --backends cpu,opencl --json | jq .agrees
              apus compare m.onnx photos/ --backends cpu --beside onnxruntime,openvino:f32

            Configurations take turns, round by round, so that changes of the machine's speed
            affect all alike; ratios are to the first. Then every layer is timed in each
            configuration, and compared with the machine's limits and with the planner's choice
            among all these backends. Then the output of every layer is compared with a plain
            evaluation of the network in float64, without rewrites.

            A relative error is |x - r| / max(|r|, root mean square of r). The exit code is 1 when
            the error of an element exceeds --tolerance, or a picture's first class differs.

            A configuration is NAME=KEY:VALUE,...:
              backend:cpu        a backend, or several such as opencl+cpu, or auto
              threads:2          processor threads
              device:0           the number of the OpenCL device, or a part of its name
              precision:f16      how operands may be rounded: f32, bf16,
                                 bf16-weights, f16-weights, auto, tf32 or f16
              tuning:no          expected times choose the layers; tuning:FILE, tuning:cached:
                                 the times that apus tune measured
            The other options set the keys that a configuration leaves out.

            With --beside, other engines run the same network on the same inputs and threads, in
            turns with the configurations: onnxruntime, openvino (as it comes, or openvino:f32,
            :bf16, :f16) and litert, which reads TensorFlow Lite. Each runs in a Python of its own
            that has its package (--python), and the page and the tables show its speed, loading
            time, memory, and the largest relative error of its outputs beside those of the first
            configuration. An engine that fails is listed with its reason. They read the model's own
            file where it has their format, and otherwise what apus export writes.
            """)

    @OptionGroup var network: ModelOptions

    @Argument(
        help: ArgumentHelp(
            "Pictures, folders or arrays, as for apus predict (default: random numbers).", valueName: "input"),
        completion: .file())
    var inputs: [String] = []

    @Option(
        help: ArgumentHelp(
            "Backends to compare; a+b is one configuration with both (default: cpu and, if installed, openblas).",
            valueName: "list"), completion: .list(Catalog.backendNames))
    var backends: String?

    @Option(
        help: ArgumentHelp("A configuration; may be repeated.", valueName: "name=options"),
        transform: { try ConfigurationArgument($0) })
    var configuration: [ConfigurationArgument] = []

    @Option(help: ArgumentHelp("Images in a timed run.", valueName: "count"))
    var batch = 1

    @OptionGroup var shapes: ShapeOptions
    @OptionGroup var size: InputSizeOptions

    @Option(help: "Processor threads (default: one per available processor).")
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "The OpenCL device: its number in apus devices, or a part of its name.", valueName: "device"))
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Other engines to run beside: onnxruntime, openvino, openvino:f32 or litert, separated by commas.",
            valueName: "list"), completion: .list(Peer.Engine.allCases.map(\.rawValue)))
    var beside: String?

    @Option(
        help: ArgumentHelp("The Python that has their packages (default: python3).", valueName: "program"),
        completion: .file())
    var python: String?

    @OptionGroup var comparing: ComparisonOptions

    @Option(help: ArgumentHelp("Show only this many layers, slowest first.", valueName: "count"))
    var layers: Int?

    @Flag(help: "Write everything as one JSON document.")
    var json = false

    @Option(
        help: ArgumentHelp("Also write a page with charts, as a single HTML file.", valueName: "file"),
        completion: .file()
    )
    var report: String?

    @Option(
        help: ArgumentHelp("Also write every run, layer and copy as a Chrome or Perfetto trace.", valueName: "file"),
        completion: .file())
    var trace: String?

    @OptionGroup(title: "Dataset") var dataset: DatasetOptions
    @OptionGroup(title: "Dataset") var further: InputValueOptions
    @OptionGroup(title: "Preprocessing") var preprocessing: PreprocessingOptions
    @OptionGroup(title: "Output") var writing: WritingOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func validate() throws {
        try ExecutionOptions.check(batch, "--batch", atMost: 65_536)
        if let threads { try ExecutionOptions.check(threads, "--threads", atMost: 1024) }
        if let layers { try ExecutionOptions.check(layers, "--layers", from: 0) }
        if !inputs.isEmpty, !shapes.shape.isEmpty {
            throw ValidationError("--shape is for random numbers; other inputs define their own extents (see --resize)")
        }
        try ReportFile.check(report)
        try ReportFile.check(trace, option: "--trace")
    }

    func run() async throws {
        let logger = logging.makeLogger()
        let configurations = try configurations(logger)
        let peers = try peers()
        let dataset =
            try inputs.isEmpty
            ? nil
            : dataset.dataset(
                inputs, decoding: preprocessing.decoding, columns: further.columns)
        var claims = writing.claims(
            model: network.model, reading: [preprocessing.preprocess] + inputs + further.files, dataset: dataset)
        if let report { try claims.add(report, as: .page(.comparison), option: "--report") }
        if let trace { try claims.add(trace, as: .trace(of: "compare"), option: "--trace") }
        try claims.check()
        // Every configuration has two successive sessions with separate weights, and the reference needs float64
        // weights.
        let loaded = try network.load(streams: 4 * (configurations.count + 1))
        let model = try size.applied(to: further.applied(to: loaded, decoding: preprocessing.decoding))
        var options = Comparison.Options()
        (options.batch, options.rounds, options.seconds) = (batch, comparing.rounds, comparing.seconds)
        (options.tolerance, options.comparesOutputs) = (comparing.tolerance, !comparing.noAgreement)
        options.seed = network.seed
        options.shapes = shapes.extents
        options.peers = peers
        options.peerModel = peerModel(of: peers)
        let given = try await given(dataset, model, logger)
        options.trace = try trace.map { path throws(ApusError) in try Trace(path: path, command: "compare") }
        let status = StatusLine(isQuiet: logging.quiet)
        let early = Mutex<Comparison?>(nil)
        Interruption.beginGracefulWork()
        defer { Interruption.endGracefulWork() }
        let comparison: Comparison
        do {
            defer { status.clear() }
            comparison = try await Trace.closing(options.trace, logger) {
                try await model.compare(
                    configurations, on: given, options: options, progress: { status.show($0.text) },
                    endedEarly: { comparison in early.withLock { $0 = comparison } })
            }
        } catch {
            if let comparison = early.withLock({ $0 }) { try answer(comparison, claims) }
            guard Interruption.hasBegun else { throw error }
            StandardError.write("apus: interrupted")
            throw ExitStatus.interrupted
        }
        try answer(comparison, claims)
        if !comparison.agrees { throw ExitStatus.doneWithFailures }
    }

    /// Prints the results first, because writing the page may fail.
    private func answer(_ comparison: Comparison, _ claims: OutputClaims) throws {
        if json {
            try StandardOutput.write(json: comparison)
        } else {
            try StandardOutput.write(ComparisonText(comparison, slowest: layers).lines)
        }
        guard let report else { return }
        try claims.confirm(report)
        try ComparisonPage(comparison).write(to: report)
    }

    private func peers() throws(ApusError) -> [Peer] {
        guard let beside else {
            guard python == nil else { throw .usage("--python is the Python of the engines that --beside names") }
            return []
        }
        let names = beside.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let peers = try names.map { name throws(ApusError) in try Peer(name, python: python ?? "python3") }
        let formats = Set(peers.map(\.engine.fileExtension))
        if formats.contains("tflite"), formats.count > 1 || fileExtension != "tflite" || size.inputSize != nil {
            throw .usage(
                "litert reads TensorFlow Lite alone: give it a .tflite file as it is, and no engine that reads ONNX")
        }
        return peers
    }

    private var fileExtension: String { URL(fileURLWithPath: network.model).pathExtension.lowercased() }

    /// The model's own file, where other engines read its format and nothing replaces its extents.
    private func peerModel(of peers: [Peer]) -> String? {
        peers.first?.engine.fileExtension == fileExtension && size.inputSize == nil ? network.model : nil
    }

    private func configurations(_ logger: Logger) throws(ApusError) -> [Comparison.Configuration] {
        let options = Session.Options(
            device: device, threads: threads ?? Session.Options.availableThreads, logger: logger)
        let words = backends.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
        let given = words.map { ConfigurationArgument(backends: $0) } + configuration
        return try (given.isEmpty ? ConfigurationArgument.standard : given).map { argument throws(ApusError) in
            Comparison.Configuration(argument.name, try argument.sessionOptions(options))
        }
    }

    /// The inputs on which outputs are compared; empty when none are given.
    private func given(
        _ dataset: (any Dataset)?, _ model: Model, _ logger: Logger
    ) async throws -> [Comparison.Input] {
        guard let dataset else { return [] }
        let steps = try preprocessing.preprocessing(for: model)
        let (given, isCut) = try await model.comparisonInputs(
            from: dataset, limit: comparing.limit, preprocessing: steps.steps,
            decoding: preprocessing.decoding)
        if steps.isGuessed { PreprocessingOptions.warnOfGuess(model, logger) }
        if isCut { logger.warning("outputs are compared on the first \(comparing.limit) inputs (see --limit)") }
        return given
    }
}

extension Comparison.Progress {
    fileprivate var text: String {
        switch self {
        case .measuringLimits: "measuring the machine"
        case .starting(let configuration): "starting \(configuration)"
        case .startingPeers: "starting other engines"
        case .timing(let round, let count): "timing, round \(round) of \(count)"
        case .profiling(let configuration): "timing the layers of \(configuration)"
        case .comparing(let input, let count): "comparing outputs, input \(input) of \(count)"
        }
    }
}
