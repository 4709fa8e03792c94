import Apus
import ArgumentParser

/// The options of how a data set is predicted.
package struct RunOptions: ParsableArguments {
    package init() {}

    /// The maximum number of pictures in a batch.
    package static let maximumBatch = 65_536

    @Option(
        help: ArgumentHelp(
            "Concurrent runs, which share the threads (default: from the number of threads).", valueName: "count"))
    package var streams: Int?

    @Option(help: ArgumentHelp("Pictures per run; answers do not depend on it (default: 8).", valueName: "count"))
    package var batch: Int?

    @Flag(help: "Write rows as they are ready, not in the order of the inputs.")
    package var unordered = false

    @Option(
        help: ArgumentHelp(
            """
            Predict one of several parts of the inputs, chosen by a hash of each id; auto takes the part from Slurm, AWS \
            Batch or Kubernetes, auto/n where they do not say how many there are.
            """, valueName: "i/n"),
        transform: ShardChoice.reading("a part and how many there are, such as 2/8, or auto, or auto/8"))
    package var shard: ShardChoice?

    @Option(
        help: ArgumentHelp(
            "The time limit for preparing a picture, for the next frame of a video, and for predicting a batch.",
            valueName: "seconds")
    )
    package var timeout: Double?

    package func validate() throws {
        if let streams { try ExecutionOptions.check(streams, "--streams", atMost: ExecutionOptions.maximumThreads) }
        if let batch { try ExecutionOptions.check(batch, "--batch", atMost: Self.maximumBatch) }
        if let timeout, !(timeout > 0 && timeout <= 1e6) {
            throw ValidationError("--timeout must be more than 0 seconds, not \(timeout)")
        }
    }

    /// The number of pictures in a batch of a data set.
    package var batchSize: Int { batch ?? 8 }

    /// The number of pictures in a batch for answers of a kind: pictures are made one at a time.
    package func batchSize(for content: ImageAnswer.Content) -> Int { content == .image ? 1 : batchSize }

    /// The options of a runner, but for what depends on the answers.
    package func runnerOptions(shard: Shard?) -> BatchOptions {
        BatchOptions(
            batch: batchSize, isOrdered: !unordered, timeout: timeout.map(Duration.seconds), shard: shard)
    }
}
