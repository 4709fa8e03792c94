import Datasets
import Platform
import Predicting
import Preparation

// Names of the previous version, which the next one removes.

@available(*, deprecated, renamed: "PredictionRecords")
public typealias Predictions<Predictor: PicturePredictor> = PredictionRecords<Predictor>

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
