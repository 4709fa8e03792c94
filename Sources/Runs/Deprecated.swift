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

extension Evaluation {
    /// The former name of ``imageCount``.
    @available(*, deprecated, renamed: "imageCount")
    public var pictureCount: Int { imageCount }
}
