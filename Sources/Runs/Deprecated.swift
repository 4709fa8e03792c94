import Datasets
import Platform
import Preparation
import Vision

// Names of the previous version, which the next one removes.

@available(*, deprecated, renamed: "PredictionRecords")
public typealias Predictions = PredictionRecords

@available(*, deprecated, renamed: "Evaluation.Options")
public typealias EvaluationOptions = Evaluation.Options

@available(*, deprecated, renamed: "SinkKind.RowOptions")
public typealias RowOptions = SinkKind.RowOptions

extension PredictionRecord {
    /// The former name of ``classification``.
    @available(*, deprecated, renamed: "classification")
    public var result: Result<Classification, RecordError> { classification }
}

extension BatchRunner {
    /// The former name of ``run(over:into:maximumErrors:gracefulStop:observe:)``.
    @available(*, deprecated, renamed: "run(over:into:maximumErrors:gracefulStop:observe:)")
    public func run(
        over dataset: some Dataset, into output: RunOutput, maximumErrors: Int? = nil, intake: GracefulStop,
        observe: (RunEvent) -> Void = { _ in }
    ) async throws -> RunSummary {
        try await run(
            over: dataset, into: output, maximumErrors: maximumErrors, gracefulStop: intake, observe: observe)
    }
}

extension Evaluation {
    /// The former name of ``imageCount``.
    @available(*, deprecated, renamed: "imageCount")
    public var pictureCount: Int { imageCount }
}
