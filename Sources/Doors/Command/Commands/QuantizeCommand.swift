import Apus
import ArgumentParser
import Logging
import Measuring
import Quantizing
import SharedOptions

/// `apus quantize`: writes a network with 8-bit weights and values.
struct QuantizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quantize",
        abstract: "Round a network's weights and values to 8 bits, and write it as ONNX.",
        discussion: """
            EXAMPLES:
              apus quantize resnet50.onnx --calibrate photos/ -o resnet50-int8.onnx
              apus quantize zoo:squeezenet1_1 --calibrate photos/ --pictures 500 -o q.onnx
              apus quantize m.onnx --shape images=1,3,640,640 --calibrate photos/ -o q.onnx
              apus quantize m.onnx --calibrate photos/ --report layers.html -o q.onnx
              apus quantize zoo:vit_b_16 --dynamic -o vit-int8.onnx
              apus quantize zoo:vit_b_16 --weights 4 --group-size 64 -o vit-int4.onnx

            The pictures determine the range of every value; labels are not needed. Weights
            have a scale for each output channel. To reach --minimum-agreement, as few of
            the first layers as possible stay in float32, at most a quarter of all layers;
            if any do, the last layer does too. --float-layers sets their number. The file
            has pairs of QuantizeLinear and DequantizeLinear, which ONNX Runtime also reads.
            It contains the preprocessing and the labels, so apus predict needs no other
            file.

            With --dynamic or --weights no pictures are needed, and only matrix products are
            rounded, as in transformers. With --dynamic weights have 8 bits, and every row of
            their inputs, such as a token, is quantized with a scale of its own while the
            network runs. With --weights 4 weights have 4 bits, with a scale and a zero point
            for each group, and arithmetic is float32.
            """)

    @OptionGroup var network: ModelOptions

    @Option(
        help: ArgumentHelp("Pictures of the kind that the network is used for.", valueName: "dataset"),
        completion: .file())
    var calibrate: [String] = []

    @Flag(help: "Quantize the rows of products while the network runs, and weights to 8 bits, without pictures.")
    var dynamic = false

    @Option(help: ArgumentHelp("Round only the weights of products, to 4 bits, without pictures.", valueName: "bits"))
    var weights: Int?

    @Option(
        help: ArgumentHelp(
            "The number of weights that share a scale, with --weights (default: 32).", valueName: "count"))
    var groupSize: Int?

    @Option(name: [.short, .long], help: ArgumentHelp("The output.", valueName: "file"), completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The maximum number of pictures to use, from the first one on.", valueName: "count"))
    var pictures = 128

    @Option(
        help: ArgumentHelp(
            "The share of a value's numbers that is left out at each end of its range.", valueName: "part"))
    var leaveOut = 0.00001

    @Option(
        name: [.long, .customLong("least-agreement")],
        help: ArgumentHelp(
            """
            The minimum expected share of pictures that keep their best class; for a detector, the mean average precision \
            of its boxes when those in float32 count as marked.
            """,
            valueName: "part"))
    var minimumAgreement = 0.97

    @Option(help: ArgumentHelp("The number of first layers that stay in float32; 0 quantizes all.", valueName: "count"))
    var floatLayers: Int?

    @Option(
        name: .customLong("keep-layer"),
        help: ArgumentHelp(
            "A layer that stays in float32, by its name in the page of --report; may be repeated.", valueName: "name"))
    var keptLayers: [String] = []

    @Option(
        help: ArgumentHelp(
            "Also measure what rounding each layer alone does, and write it as a single HTML file.", valueName: "file"),
        completion: .file())
    var report: String?

    @Option(
        help: ArgumentHelp(
            "How much of the size of large channels moves into a transformer's weights (SmoothQuant), 0 (none) to 1.",
            valueName: "strength"))
    var balance = 0.5

    /// The kind of answers for which pictures are prepared.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case classify, detect
    }

    @Option(
        help: ArgumentHelp(
            "Prepare pictures for classification, or as usual for the detector (default: from the model).",
            valueName: "task"))
    var task: Kind?

    @OptionGroup var shapes: ShapeOptions

    @Option(help: ArgumentHelp("The number of layers to list, largest error first.", valueName: "count"))
    var show = 5

    @Flag(help: "Write the figures as one JSON document.")
    var json = false

    @OptionGroup(title: "Dataset") var dataset: DatasetOptions
    @OptionGroup(title: "Preprocessing") var preprocessing: PreprocessingOptions
    @OptionGroup(title: "Execution") var execution: ExecutionOptions
    @OptionGroup(title: "Output") var writing: WritingOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func validate() throws {
        guard (1...100_000).contains(pictures) else { throw ValidationError("--pictures must be from 1 to 100000") }
        guard (0..<0.5).contains(leaveOut) else { throw ValidationError("--leave-out must be from 0 up to 0.5") }
        guard (0...1).contains(minimumAgreement) else {
            throw ValidationError("--minimum-agreement must be from 0 to 1")
        }
        try ReportFile.check(report)
        guard floatLayers ?? 0 >= 0 else { throw ValidationError("--float-layers must be at least 0") }
        try validateKind()
        guard (0...1).contains(balance) else { throw ValidationError("--balance must be from 0 to 1") }
        if output.isEmpty { throw ValidationError("--output needs the name of a file") }
        guard show >= 0 else { throw ValidationError("--show must be at least 0") }
    }

    /// Whether weights are rounded without pictures.
    private var needsNoPictures: Bool { dynamic || weights != nil }

    private func validateKind() throws {
        guard !dynamic || weights == nil else { throw ValidationError("--dynamic and --weights exclude each other") }
        guard weights ?? 4 == 4 else { throw ValidationError("--weights must be 4") }
        guard groupSize == nil || weights != nil else { throw ValidationError("--group-size needs --weights") }
        if let groupSize, !Model.groupSizes.contains(groupSize) {
            throw ValidationError("--group-size must be 16, 32, 64, 128 or 256")
        }
        guard !needsNoPictures || keptLayers.isEmpty && report == nil else {
            throw ValidationError("--keep-layer and --report need --calibrate")
        }
        guard needsNoPictures || !calibrate.isEmpty else {
            throw ValidationError("--calibrate needs pictures; --dynamic and --weights need none")
        }
        guard !needsNoPictures || calibrate.isEmpty else {
            throw ValidationError("--calibrate excludes --dynamic and --weights, which need no pictures")
        }
    }

    /// Rounds the weights of products without pictures.
    private func runWithoutPictures() throws {
        var claims = writing.claims(model: network.model, reading: [])
        try claims.add(output, as: .network(.quantize), option: "--output")
        try claims.check()
        let model = try network.load(streams: 2)
        let (rounded, report) =
            dynamic ? try model.quantizedByRow() : try model.withNarrowWeights(groupSize: groupSize ?? 32)
        try claims.confirm(output)
        var exporting = Model.ExportOptions()
        exporting.origin = .quantize
        try rounded.export(to: output, options: exporting)
        if json { return try StandardOutput.write(json: report) }
        var table = TextTable([("", .left), ("", .left)])
        table.append(["products", "\(report.productCount)"])
        table.append(["their weights", "\(report.byteCountBefore) bytes became \(report.byteCount)"])
        try StandardOutput.write(table.lines())
    }

    /// Names the layers whose values are lost by rounding, and those that could not be rounded.
    private func warnOfLosses(_ figures: QuantizationReport, _ logger: Logger) {
        let lost = figures.layers.filter { $0.relativeError > 0.5 }.prefix(8).map(\.name.printable)
        if !lost.isEmpty {
            let names = lost.joined(separator: ", ")
            logger.warning("rounding loses more than half of \(names); --keep-layer keeps a layer before it in float32")
        }
        let kept = figures.zeroInputLayers.prefix(8).map(\.printable).joined(separator: ", ")
        if !kept.isEmpty { logger.warning("in float32, since their input is 0 in all pictures: \(kept)") }
    }

    func run() async throws {
        if needsNoPictures { return try runWithoutPictures() }
        let logger = logging.makeLogger()
        let pictures = try dataset.dataset(calibrate, decoding: preprocessing.decoding)
        var claims = writing.claims(
            model: network.model,
            reading: [preprocessing.preprocess, execution.backends.tuningFile] + calibrate, dataset: pictures)
        try claims.add(output, as: .network(.quantize), option: "--output")
        if let report { try claims.add(report, as: .page(.quantization), option: "--report") }
        try claims.check()
        // Memory holds both the float network and the quantized one, and both run.
        var model = try network.load(streams: 3)
        var options = Model.QuantizationOptions()
        options.imageCount = self.pictures
        options.leftOut = leaveOut
        options.minimumAgreement = minimumAgreement
        options.floatLayerCount = floatLayers
        options.floatLayers = Set(keptLayers)
        options.measuresEffects = report != nil
        options.balancing = balance == 0 ? nil : balance
        options.findsObjects = task.map { $0 == .detect }
        options.inputShapes = shapes.extents
        let findsObjects = options.findsObjects ?? model.findsObjects
        if findsObjects {
            let configuration = model.detection ?? DetectionConfiguration()
            model.preprocessing = try ObjectDetector.customaryPreprocessing(of: model, configuration)
        }
        let steps = try preprocessing.preprocessing(for: model)
        if steps.isGuessed, !findsObjects { PreprocessingOptions.warnOfGuess(model, logger) }
        options.session = try execution.sessionOptions(logger: logger)
        let status = StatusLine(isQuiet: logging.quiet)
        defer { status.clear() }
        let (quantized, figures) = try await model.quantized(
            calibratingWith: pictures, options: options,
            preprocessing: steps.steps
        ) { status.show("\($0.stage), picture \($0.picture) of \($0.imageCount)") }
        status.show("writing \(output)")
        try claims.confirm(output)
        var exporting = Model.ExportOptions()
        exporting.origin = .quantize
        try quantized.export(to: output, options: exporting)
        if let report {
            try claims.confirm(report)
            try QuantizationPage(figures, of: model).write(to: report)
        }
        status.clear()
        if let problem = figures.decodingProblem { logger.warning("\(problem); agreement is that of best classes") }
        warnOfLosses(figures, logger)
        if json { return try StandardOutput.write(json: figures) }
        var table = TextTable([("", .left), ("", .left)])
        let passedOver = figures.unreadableCount == 0 ? "" : ", \(figures.unreadableCount) more could not be read"
        table.append(["pictures", "\(figures.imageCount)\(passedOver)"])
        let count = "\(figures.agreementCount) of \(figures.imageCount)"
        if let boxes = figures.boxAgreement {
            table.append(["same objects", count])
            table.append(["boxes", "mean average precision \(boxes.text(decimals: 3)) beside those in float32"])
        } else {
            table.append(["same best class", count])
            let expected = (figures.expectedAgreement * 1000).rounded() / 10
            table.append(["expected", "the same best class for \(expected) % of such pictures"])
        }
        let kept = figures.floatLayerCount
        table.append(["layers in float32", kept == 0 ? "none" : "the first \(kept) and the last"])
        for (position, layer) in figures.layers.prefix(show).enumerated() {
            let percent = Self.percentage(layer.relativeError)
            table.append([position == 0 ? "lose most" : "", "\(layer.name.printable): \(percent)"])
        }
        for (position, effect) in (figures.effects ?? []).prefix(show).enumerated() {
            let percent = Self.percentage(effect.outputError)
            table.append([
                position == 0 ? "cost most" : "", "\(effect.name.printable): \(percent) of the output, alone",
            ])
        }
        try StandardOutput.write(table.lines())
    }

    /// An error in percent of what is right; "not a number" where the network gives none.
    private static func percentage(_ share: Double) -> String {
        share.isFinite ? "\((share * 1000).rounded() / 10) %" : "not a number"
    }
}
