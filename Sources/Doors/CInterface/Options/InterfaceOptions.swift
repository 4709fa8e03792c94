import Apus
import ArgumentParser
import FoundationEssentials
import Logging
import SharedOptions

/// All options of the interface: those of `apus predict` that do not concern a terminal. Each function reads its own.
struct InterfaceOptions: ParsableArguments {
    @OptionGroup var loading: ModelLoadingOptions
    @OptionGroup var size: InputSizeOptions
    @OptionGroup var execution: ExecutionOptions
    @OptionGroup var preprocessing: PreprocessingOptions
    @OptionGroup var asked: TaskOptions
    @OptionGroup var detection: DetectionOptions
    @OptionGroup var dataset: DatasetOptions
    @OptionGroup var files: RecordFileOptions
    @OptionGroup var comparing: ComparisonOptions

    @Option var streams = 1
    @Option var batch: Int?
    @Option var labels: String?
    @Option var top = 5
    @Option var minConfidence: Float?
    @Option var format: String?
    @Flag var resume = false
    @Flag var force = false
    @Option var commitRows = CommitPolicy().rowCount
    @Option var maxErrors: Int?
    @Flag var unordered = false
    @Option(transform: ShardChoice.reading("a part and how many there are, such as 2/8, or auto")) var shard:
        ShardChoice?
    @Option var timeout: Double?
    @Flag var profile = false
    /// The seconds that a benchmark measures.
    @Option var time = 1.0

    func validate() throws {
        try ExecutionOptions.check(streams, "--streams", atMost: ExecutionOptions.maximumThreads)
        if let batch { try ExecutionOptions.check(batch, "--batch", atMost: 65_536) }
        try ExecutionOptions.check(top, "--top")
        try ExecutionOptions.check(commitRows, "--commit-rows")
        if let maxErrors { try ExecutionOptions.check(maxErrors, "--max-errors", from: 0) }
        if let minConfidence, !(0...1).contains(minConfidence) {
            throw ValidationError("--min-confidence must lie between 0 and 1, not \(minConfidence)")
        }
        if let timeout, !(timeout > 0 && timeout <= 1e6) {
            throw ValidationError("--timeout must be more than 0 seconds, not \(timeout)")
        }
        guard time > 0, time <= 86_400 else { throw ValidationError("--time must be more than 0 and at most 86400") }
        try choice("").validate()
    }

    /// The options of a session.
    ///
    /// - Parameter name: The name of what is profiled, where that was asked for.
    func sessionOptions(profiling name: String) throws -> Session.Options {
        var options = try execution.sessionOptions(streams: streams, logger: LogSink.logger())
        if profile { options.profiler = Profiler(name: name) }
        return options
    }

    /// What the options say about a model that answers about pictures.
    func choice(_ path: String) -> PredictorChoice {
        PredictorChoice(
            model: path, loading: loading, labels: labels, minimumConfidence: minConfidence, size: size,
            preprocessing: preprocessing, asked: asked, files: files, detection: detection)
    }

    /// The options of a runner.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the environment should say which shard to take, and does not.
    func runnerOptions(_ content: ImageAnswer.Content) throws(ApusError) -> BatchRunner.Options {
        let shard = try shard?.resolved(ProcessInfo.processInfo.environment).0
        return BatchRunner.Options(
            batch: content == .image ? 1 : batch ?? 8, isOrdered: !unordered, timeout: timeout.map(Duration.seconds),
            shard: shard)
    }

    /// The options of rows.
    func rowOptions(_ content: ImageAnswer.Content) -> SinkKind.RowOptions {
        SinkKind.RowOptions(
            top: top, minimumConfidence: minConfidence ?? 0, content: content, maskForm: asked.maskForm ?? .rle)
    }
}
