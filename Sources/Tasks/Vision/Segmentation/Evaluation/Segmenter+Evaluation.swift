import Datasets
import Platform
import Predicting

extension Segmenter {
    /// Predicts every picture of a dataset that has a mask, and compares the classes of pixels.
    ///
    /// The mask of a picture is a PNG file of grey or of a palette in a folder, named like the picture:
    /// `masks/street.png` or `masks/street.jpg.png` for `photos/street.jpg`, also in subfolders of the same names.
    ///
    /// - Parameters:
    ///   - folder: The folder of masks.
    ///   - ignored: The number in masks of pixels that are left out.
    ///   - progress: Called after each picture.
    /// - Throws: ``ApusError/usage(_:)`` when no picture has a mask; ``ApusError/file(path:message:)`` when a mask
    ///   cannot be read, or has another size than its picture; otherwise the errors of predictions.
    public func evaluate(
        _ dataset: some Dataset, masks folder: String, ignoring ignored: Int? = 255,
        options: EvaluationOptions = EvaluationOptions(), progress: (RunProgress) -> Void = { _ in }
    ) async throws -> SegmentationEvaluation {
        let marked = MarkedRecords(dataset) { (record) throws(ApusError) in
            TruthFile(of: record.id, in: folder, fileExtensions: [".png"])
        }
        var evaluation = SegmentationEvaluation(names: labels?.names ?? [:], ignoring: ignored)
        var (done, failed) = (0, 0)
        for try await record in BatchRunner(self, options: .init(batch: options.batch)).predictions(over: marked) {
            let mask = try marked.takeFirst().truth
            done += 1
            switch record.segmentation {
            case .failure: failed += 1
            case .success(let segmentation):
                let (predicted, actual) = try await pictures.executor.run {
                    (Self.numbers(segmentation), try mask.numbers(of: segmentation.imageSize).map(Int.init))
                }
                evaluation.add(predicted: predicted, actual: actual)
            }
            progress(RunProgress(total: nil, succeeded: done - failed, failed: failed, resumed: 0))
        }
        guard done > 0 else {
            throw ApusError.usage("\(folder): has no mask of any picture; names must agree, as a.png for a.jpg")
        }
        (evaluation.failedCount, evaluation.unmarkedCount) = (failed, marked.unmarkedCount)
        return evaluation
    }

    /// The class of each pixel; that of none for pixels that the network did not see.
    private static func numbers(_ segmentation: Segmentation) -> [Int] {
        let unseen = Segmentation.unseen(segmentation.classes.elementType)
        return segmentation.classes.elements(as: Int32.self).map {
            Int($0) == unseen ? SegmentationEvaluation.unseenNumber : Int($0)
        }
    }
}
