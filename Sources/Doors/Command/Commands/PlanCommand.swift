import Apus
import ArgumentParser
import SharedOptions

/// `apus plan`: shows the plan of a network.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what will run where, and why.",
        discussion: """
            EXAMPLES:
              apus plan squeezenet1_1.onnx
              apus plan squeezenet1_1.onnx --batch 8 --why
              apus plan squeezenet1_1.onnx --layer fire2/expand1x1
              apus plan model.onnx --on reference --why
              apus plan squeezenet1_1.onnx --rewrites
              apus plan detector.onnx --shape images=1,3,640,640 --why
              apus plan squeezenet1_1.onnx --json | jq .layers[].lowering

            Candidates are compared by the expected time for one image on one thread, or by the time
            that apus tune measured for one image. So an image is computed with the same kernels in
            every batch and on any number of threads.

            Layers for which no backend has a kernel run on the reference. A warning follows if they
            are expected to take more than 1 % of the time.
            """)

    @OptionGroup var network: ModelOptions

    @Option(help: ArgumentHelp("Images per run.", valueName: "count"))
    var batch = 1

    @OptionGroup var shapes: ShapeOptions
    @OptionGroup var size: InputSizeOptions

    @Flag(
        help: """
            Show every candidate with its cost, the place of each output, and after all layers the reasons for declining.
            """)
    var why = false

    @Option(
        help: ArgumentHelp("Show only the layer of this name, with every candidate and reason.", valueName: "name"))
    var layer: String?

    @Option(
        name: .customLong("on"),
        help: ArgumentHelp("Show only the layers that this backend runs, such as reference.", valueName: "backend"))
    var backend: String?

    @Flag(help: "List what each rewrite did before planning, with similar changes counted.")
    var rewrites = false

    @Flag(help: "Print one JSON document, candidates included.")
    var json = false

    @OptionGroup(title: "Execution") var execution: ExecutionOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func validate() throws {
        try ExecutionOptions.check(batch, "--batch", atMost: 65_536)
        guard !json || layer == nil && backend == nil else {
            throw ValidationError("--layer and --on choose what is shown to people; --json has every layer")
        }
        let known = [BackendName.cpu, .openblas, .opencl, .reference].map(\.rawValue)
        if let backend, !known.contains(backend) {
            throw ValidationError(
                "--on \(backend): there is no such backend; there are \(known.joined(separator: ", "))")
        }
    }

    private struct Document: Encodable {
        let plan: PlanDescription
        let rewrites: [Model.RewriteDescription]?

        func encode(to encoder: any Encoder) throws {
            try plan.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(rewrites, forKey: .rewrites)
        }

        enum CodingKeys: CodingKey { case rewrites }
    }

    func run() async throws {
        let logger = logging.makeLogger()
        let options = try execution.sessionOptions(logger: logger)
        let model = try size.applied(to: network.load())
        let session = try await Session(model, options: options)
        session.warn(logger)
        let plan = try await session.plan(forBatch: batch, inputs: shapes.extents)
        if let warning = ReferenceWarning(plan, requested: execution.backends.backend).text {
            logger.warning("\(warning)")
        }
        if json {
            return try StandardOutput.write(
                json: Document(plan: plan, rewrites: rewrites ? model.rewriteDescriptions : nil))
        }
        var lines: [String] = []
        if rewrites { lines += RewriteText(model.rewriteDescriptions).lines + [""] }
        if let layer, !plan.layers.contains(where: { $0.name == layer }) {
            throw ApusError.usage(
                "\(model.name): the plan has no layer \"\(layer)\"; apus plan lists its layers")
        }
        let selection = PlanText.Selection(layer: layer, backend: backend)
        try StandardOutput.write(
            lines
                + PlanText(plan, showsReasons: why, tuningFile: options.tuning.path, selection: selection).lines)
    }
}
