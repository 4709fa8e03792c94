import Datasets
import Platform
import Predicting

extension DepthEstimator {
    /// Predicts every picture of a dataset of which the true depths are known, and compares them.
    ///
    /// The depths of a picture are a PNG file of grey with up to 16 bits, or an array [height, width] of NumPy, in a
    /// folder: `depths/street.png` or `depths/street.npy` for `photos/street.jpg`, also in subfolders of these names.
    ///
    /// - Parameters:
    ///   - folder: The folder of true depths.
    ///   - unit: How many of the files' numbers make one unit of depth: 1000 for files in millimeters to compare
    ///     meters.
    ///   - depth: What the network's numbers mean.
    ///   - progress: Called after each picture.
    /// - Throws: ``ApusError/usage(_:)`` when the depths of no picture are known;
    ///   ``ApusError/file(path:message:)`` when a file cannot be read, or has another size than its picture; otherwise
    ///   the errors of predictions.
    public func evaluate(
        _ dataset: some Dataset, depths folder: String, unit: Double = 1, depth: DepthEvaluation.Options,
        options: EvaluationOptions = EvaluationOptions(), progress: (RunProgress) -> Void = { _ in }
    ) async throws -> DepthEvaluation {
        let marked = MarkedRecords(dataset) { (record) throws(ApusError) in
            TruthFile(of: record.id, in: folder, fileExtensions: [".npy", ".png"])
        }
        var evaluation = DepthEvaluation(options: depth)
        var (done, failed, unmarked) = (0, 0, 0)
        for try await record in BatchRunner(self, options: .init(batch: options.batch)).predictions(over: marked) {
            let truth = try marked.takeFirst().truth
            done += 1
            switch record.depth {
            case .failure: failed += 1
            case .success(let map):
                let (predicted, actual) = try await pictures.executor.run {
                    (map.values.elements(as: Float.self), try truth.depths(of: map.imageSize, unit: unit))
                }
                if !evaluation.add(predicted: predicted, actual: actual) { unmarked += 1 }
            }
            progress(RunProgress(total: nil, succeeded: done - failed, failed: failed, resumed: 0))
        }
        guard done > 0 else {
            throw ApusError.usage(
                "\(folder): has no depths of any picture; names must agree, as a.png or a.npy for a.jpg")
        }
        (evaluation.failedCount, evaluation.unmarkedCount) = (failed, marked.unmarkedCount + unmarked)
        return evaluation
    }
}
