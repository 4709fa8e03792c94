import Apus
import ArgumentParser
import FoundationEssentials
import SharedOptions

/// `apus duplicates`: finds pictures of an index that are nearly the same.
struct DuplicatesCommand: AsyncParsableCommand {
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case clusters, pairs
    }

    static let configuration = CommandConfiguration(
        commandName: "duplicates",
        abstract: "Find pictures of an index that are nearly the same.",
        discussion: """
            EXAMPLES:
              apus predict dinov2_small.onnx photos/ --task embed -o vectors.npy
              apus duplicates vectors.npy
              apus duplicates vectors.npy --minimum-similarity 0.98 --format csv
              apus duplicates vectors.npy --show pairs

            INDEX is a finished output of apus predict --task embed: an array with its
            INDEX.records.jsonl, a database, or JSON Lines. Where a recipe gives a vector
            for each object, objects are compared: those of a.jpg are a.jpg#1, a.jpg#2 and
            so on. Every vector is compared with every other, so 10 times as many pictures
            take 100 times as long.

            A pair is two pictures whose similarity, the cosine of the angle between their
            vectors in double precision, is at least --minimum-similarity. A cluster is
            all pictures that pairs connect, directly or through other pictures. So two
            pictures of one cluster may be less similar than that. Pictures and clusters
            come in the order of the index.
            """)

    @Argument(help: ArgumentHelp("The vectors.", valueName: "index"), completion: .file())
    var index: String

    @Option(help: ArgumentHelp("The least similarity of two pictures that are nearly the same.", valueName: "cosine"))
    var minimumSimilarity = 0.95

    @Option(help: ArgumentHelp("Print clusters, or all pairs with their similarity.", valueName: "kind"))
    var show = Kind.clusters

    @Option(help: ArgumentHelp("table, csv or jsonl (default: table on a terminal, else jsonl).", valueName: "name"))
    var format: RowFormat?

    @Option(help: "Processor threads (default: one per available processor).")
    var threads: Int?

    func validate() throws {
        guard (-1...1).contains(minimumSimilarity) else {
            throw ValidationError("--minimum-similarity must lie between -1 and 1, not \(minimumSimilarity)")
        }
        if let threads { try ExecutionOptions.check(threads, "--threads", atMost: ExecutionOptions.maximumThreads) }
    }

    func run() async throws {
        MemoryBudget.process.restrict(to: MemorySize.standard(streams: 1).byteCount)
        let index = try EmbeddingIndex(contentsOf: index)
        let threads = threads ?? Session.Options.availableThreads
        let format = format ?? .customary
        switch show {
        case .clusters:
            let clusters = try await index.duplicates(minimumSimilarity: minimumSimilarity, threads: threads)
            try StandardOutput.write(DuplicateText.lines(clusters, format))
        case .pairs:
            let pairs = try await index.pairs(minimumSimilarity: minimumSimilarity, threads: threads)
            try StandardOutput.write(DuplicateText.lines(pairs, format))
        }
    }
}
