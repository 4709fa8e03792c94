import Apus
import ArgumentParser
import FoundationEssentials
import Logging
import SharedOptions

/// `apus search`: finds the pictures of an index that are most like others.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find the pictures of an index that are most like others.",
        discussion: """
            EXAMPLES:
              apus predict dinov2_small.onnx photos/ --task embed -o vectors.npy
              apus search vectors.npy coffee.png
              apus search vectors.npy new/ --top 3 --format csv
              apus search vectors.npy --id cats/1.jpg
              apus search faces.jsonl --id party.jpg#2

            INDEX is a finished output of apus predict --task embed: an array with its
            INDEX.records.jsonl, a database, or JSON Lines. Where a recipe gives a vector
            for each object, the objects of a.jpg are a.jpg#1, a.jpg#2 and so on, and --id
            asks for them. INDEX.run.json beside it names
            the model and the options that made the vectors; the pictures go through the
            same. If the model is now elsewhere, --model names it. Another network, or
            other preprocessing, is refused.

            Similarity is the cosine of the angle between two vectors, from -1 to 1, in
            double precision. All records are compared. Equal similarities come in the
            order of the index. An array is read block by block, whatever its size.
            """)

    @Argument(help: ArgumentHelp("The vectors.", valueName: "index"), completion: .file())
    var index: String

    @Argument(
        help: ArgumentHelp("Pictures, folders, manifests, arrays, archives, or -.", valueName: "picture"),
        completion: .file())
    var inputs: [String] = []

    @Option(help: ArgumentHelp("Ask for a record of the index instead of pictures; may be repeated.", valueName: "id"))
    var id: [String] = []

    @Option(help: ArgumentHelp("The number of neighbours.", valueName: "count"))
    var top = 5

    @Option(help: ArgumentHelp("table, csv or jsonl (default: table on a terminal, else jsonl).", valueName: "name"))
    var format: RowFormat?

    @Option(
        help: ArgumentHelp("The model that made the index (default: the one that its run names).", valueName: "model"),
        completion: .file())
    var model: String?

    @OptionGroup(title: "Inputs") var dataset: DatasetOptions
    @OptionGroup(title: "Inputs") var further: InputValueOptions
    @OptionGroup(title: "Preprocessing") var preprocessing: PreprocessingOptions
    @OptionGroup(title: "Execution") var execution: ExecutionOptions

    @Option(help: ArgumentHelp("Pictures per run; answers do not depend on it.", valueName: "count"))
    var batch = 8

    @OptionGroup(title: "Messages") var logging: LoggingOptions

    /// The number of pictures that are searched for together.
    private static let picturesAtOnce = 256

    func validate() throws {
        try ExecutionOptions.check(top, "--top", atMost: 1_000_000)
        try ExecutionOptions.check(batch, "--batch", atMost: 65_536)
        guard id.isEmpty != inputs.isEmpty else {
            throw ValidationError("give pictures, or --id with a record of the index")
        }
    }

    func run() async throws {
        MemoryBudget.process.restrict(to: MemorySize.standard(streams: 1).byteCount)
        let index = try EmbeddingIndex(contentsOf: index)
        let threads = execution.threads ?? Session.Options.availableThreads
        let text = NeighborText(format ?? .customary)
        try StandardOutput.write(text.beginning)
        for id in id {
            let found = try await index.neighbors(ofID: id, count: top, threads: threads)
            try StandardOutput.write(text.lines(id, .success(found)))
        }
        if !id.isEmpty { return }
        let runner = BatchRunner(try await embedder(index), options: BatchOptions(batch: batch))
        var (waiting, failed) = ([PredictionRecord<ImageEmbedding>](), 0)
        func search() async throws {
            let vectors = waiting.compactMap { try? $0.answer.get() }
            var found = try await index.neighbors(of: vectors, count: top, threads: threads)[...]
            for record in waiting {
                let answer = record.answer.map { _ in found.popFirst() ?? [] }
                if case .failure = answer { failed += 1 }
                try StandardOutput.write(text.lines(record.id, answer))
            }
            waiting = []
        }
        let pictures = try dataset.dataset(inputs, decoding: preprocessing.decoding, columns: further.columns)
        for try await record in runner.predictions(over: pictures) {
            waiting.append(record)
            if waiting.count == Self.picturesAtOnce { try await search() }
        }
        try await search()
        if failed > 0 { throw ExitStatus.doneWithFailures }
    }

    /// The embedder that made the index.
    private func embedder(_ index: EmbeddingIndex) async throws -> Embedder {
        guard let name = model ?? index.manifest?.identity.model else {
            throw ApusError.file(
                path: RunManifest.path(of: index.path),
                message: "no such file; it names the model and the options that made the vectors")
        }
        guard !RecipeFile.isRecipe(name) else {
            throw ApusError.usage(
                "\(index.path): \(name) is a recipe, whose vectors are those of objects; --id asks for one of them, such "
                    + "as photo.jpg#1")
        }
        var model = try further.applied(to: Model(contentsOf: name), decoding: preprocessing.decoding)
        model.preprocessing = try VisionTask.embed.type.preprocessing(of: model, TaskSettings())
        let steps = try preprocessing.preprocessing(for: model)
        let embedder = try await Embedder(
            model, options: try execution.sessionOptions(logger: logging.makeLogger()),
            embedding: index.options ?? Embedder.Options(), preprocessing: steps.steps,
            decoding: preprocessing.decoding)
        try index.check(embedder)
        return embedder
    }
}
