import Apus
import ArgumentParser
import FoundationEssentials
import SharedOptions

/// `apus run`: runs a network on arrays.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a network once on arrays.",
        discussion: """
            EXAMPLES:
              apus run squeezenet1_1.onnx --input data=pixels.npy -o outputs/
              apus run squeezenet1_1.onnx --input data=pixels.npy -o out/ --fetch conv1_r

            Arrays are NumPy .npy files. Every output is written to the folder as NAME.npy,
            with characters other than letters, digits, ".", "_" and "-" replaced by "_".
            arrays.json in the folder lists the files that a later run may replace.
            --fetch adds a value from inside the network; apus inspect --nodes lists them.
            """)

    @OptionGroup var network: ModelOptions

    @Option(
        help: ArgumentHelp("The array of an input; once for every input.", valueName: "name=file"),
        transform: NamedFile.reading("NAME=FILE, the name of an input and of an array"))
    var input: [NamedFile] = []

    @Option(
        name: [.short, .long], help: ArgumentHelp("The folder for the outputs; made if missing.", valueName: "folder"),
        completion: .directory)
    var output: String

    @Option(help: ArgumentHelp("Also write this value from inside the network; may be repeated.", valueName: "name"))
    var fetch: [String] = []

    @Flag(help: "List what was written as one JSON document.")
    var json = false

    @OptionGroup(title: "Output") var writing: WritingOptions
    @OptionGroup(title: "Execution") var execution: ExecutionOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func run() async throws {
        let logger = logging.makeLogger()
        let options = try execution.sessionOptions(logger: logger)
        try OutputFolder.check(output)
        var model = try network.load()
        if !fetch.isEmpty { model = try model.fetching(fetch) }
        let names = model.graph.outputs.map { model.graph[$0].name }
        var claims = writing.claims(model: network.model, reading: input.map(\.path) + [execution.backends.tuningFile])
        let folder = try ArrayFolder(output, for: names, &claims)
        var tensors: [String: Tensor] = [:]
        for named in input {
            let tensor = try Tensor(contentsOfNumPyFile: named.path)
            try check(tensor, of: named, for: model)
            guard tensors.updateValue(tensor, forKey: named.name) == nil else {
                throw ApusError.usage("--input \(named.name): is given more than once")
            }
        }
        let session = try await Session(model, options: options)
        session.warn(logger)
        let start = ContinuousClock.now
        let outputs = try await session.predict(tensors)
        logger.debug("ran in \((ContinuousClock.now - start).inMilliseconds)")
        let written = try folder.write(names.compactMap { name in outputs[name].map { (name, $0) } })
        if json { return try StandardOutput.write(json: written) }
        var table = TextTable([("output", .left), ("type", .left), ("file", .left)])
        for array in written { table.append([array.name, "\(array.elementType)\(array.shape)", array.file]) }
        try StandardOutput.write(table.lines())
    }
}

extension RunCommand {
    /// Refuses an array whose type differs from its input's, with an error that shows the conversion.
    private func check(_ tensor: Tensor, of file: NamedFile, for model: Model) throws(ApusError) {
        let inputs = model.graph.inputs.map { model.graph[$0] }
        guard let input = inputs.first(where: { $0.name == file.name }), let expected = input.elementType,
            expected != tensor.elementType
        else { return }
        var advice = "in Python, array.astype(\"\(expected)\") converts it"
        if let quantization = input.quantization, let scale = quantization.scale, let point = quantization.zeroPoint,
            let range = expected.quantizedRange
        {
            let (opposite, shift) = point < 0 ? ("+ \(-point)", "- \(-point)") : ("- \(point)", "+ \(point)")
            advice =
                tensor.elementType.isFloatingPoint
                ? "in Python, numpy.clip(numpy.round(array / \(scale)) \(shift), \(range.lowerBound), "
                    + "\(range.upperBound)).astype(\"\(expected)\") quantizes numbers"
                : "an integer of the network stands for the number (integer \(opposite)) * \(scale)"
        }
        throw .usage(
            "--input \(file.name.printable): \(file.path.printable) holds \(tensor.elementType), and the network takes "
                + "\(expected); \(advice)")
    }
}

/// An argument such as `data=pixels.npy`.
struct NamedFile: ExpressibleByArgument {
    let name: String
    let path: String

    init?(argument: String) {
        guard let separator = argument.firstIndex(of: "=") else { return nil }
        name = String(argument[..<separator])
        path = String(argument[argument.index(after: separator)...])
        if name.isEmpty || path.isEmpty { return nil }
    }
}
