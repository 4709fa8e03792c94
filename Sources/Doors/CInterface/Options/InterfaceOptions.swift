import Apus
import ArgumentParser
import FoundationEssentials
import Logging
import SharedOptions

/// All options of the interface: those of `apus predict` that do not concern a terminal. Each function reads its own.
struct InterfaceOptions: ParsableArguments {
    @OptionGroup var loading: ModelLoadingOptions
    @OptionGroup var further: InputValueOptions
    @OptionGroup var size: InputSizeOptions
    @OptionGroup var execution: ExecutionOptions
    @OptionGroup var preprocessing: PreprocessingOptions
    @OptionGroup var asked: TaskOptions
    @OptionGroup var detection: DetectionOptions
    @OptionGroup var dataset: DatasetOptions
    @OptionGroup var files: RecordFileOptions
    @OptionGroup var comparing: ComparisonOptions

    @OptionGroup var running: RunOptions
    @OptionGroup var naming: LabelOptions
    @OptionGroup var answers: AnswerOptions
    @OptionGroup var rows: RowFileOptions
    @OptionGroup var writing: WritingOptions
    @OptionGroup var failures: FailureOptions

    @Flag var profile = false
    /// The seconds that a benchmark measures.
    @Option var time = 1.0

    func validate() throws {
        guard time > 0, time <= 86_400 else { throw ValidationError("--time must be more than 0 and at most 86400") }
        try choice("").validate()
    }

    /// The options of a session.
    ///
    /// - Parameter name: The name of what is profiled, where that was asked for.
    func sessionOptions(profiling name: String) throws -> Session.Options {
        var options = try execution.sessionOptions(streams: running.streams ?? 1, logger: LogSink.logger())
        if profile { options.profiler = Profiler(name: name) }
        return options
    }

    /// What the options say about a model that answers about pictures.
    func choice(_ path: String) -> PredictorChoice {
        PredictorChoice(
            model: path, loading: loading, naming: naming, minimumConfidence: answers.minConfidence,
            further: further, size: size, preprocessing: preprocessing, asked: asked, files: files,
            detection: detection)
    }

    /// The options of a runner.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the environment should say which shard to take, and does not.
    func runnerOptions(_ content: ImageAnswer.Content) throws(ApusError) -> BatchOptions {
        let shard = try running.shard?.resolved(ProcessInfo.processInfo.environment).0
        var options = running.runnerOptions(shard: shard)
        options.batch = running.batchSize(for: content)
        return options
    }

    /// The options of rows.
    func rowOptions(_ content: ImageAnswer.Content) -> SinkKind.RowOptions {
        answers.rowOptions(content, maskForm: asked.maskForm)
    }
}
