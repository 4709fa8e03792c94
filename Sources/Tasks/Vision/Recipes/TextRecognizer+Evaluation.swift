import Datasets
import Platform
import Predicting

extension TextRecognizer {
    /// Reads every picture of a dataset whose text is known, and compares.
    ///
    /// - Parameter progress: Called after each picture.
    /// - Throws: ``ApusError/usage(_:)`` when the text of no picture is known; otherwise the errors of predictions.
    public func evaluate(
        _ dataset: some Dataset, against truth: TextTruth, options: EvaluationOptions = EvaluationOptions(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> TextEvaluation {
        try await TextEvaluation(of: runner, on: dataset, against: truth, options: options, progress: progress)
    }
}
