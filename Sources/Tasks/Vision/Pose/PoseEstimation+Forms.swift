import Images
import Platform
import Datasets
import Predicting

extension PoseEstimation: YOLOAnswer {
    var yoloLines: [YOLOLine] {
        poses.map { pose in
            let box = pose.box ?? NormalizedBox(around: pose.keypoints.map { SIMD2($0.x, $0.y) })
            // Readers of such files refuse points outside the picture.
            let points: [Float] = pose.keypoints.flatMap {
                [min(max($0.x, 0), 1), min(max($0.y, 0), 1), $0.confidence ?? 1]
            }
            return YOLOLine(
                index: pose.label?.index ?? 0, numbers: YOLOLine.numbers(of: box) + points, confidence: pose.confidence)
        }
    }
}

extension PoseEstimation: ComparedAnswer {
    static let comparedKind = DetectionEvaluation.Kind.keypoints

    func confident(_ least: Float) -> PoseEstimation {
        PoseEstimation(poses.filter { $0.confidence >= least }, imageSize: imageSize, skeleton: skeleton)
    }
}

extension PoseEstimator {
    /// Predicts every picture of a dataset that a ground truth has, and compares the 17 points of COCO's people.
    ///
    /// The pictures, the classes and the errors are those of ``ObjectDetector/evaluate(_:against:options:progress:)``.
    public func evaluate(
        _ dataset: some Dataset, against truth: COCOGroundTruth, options: EvaluationOptions = EvaluationOptions(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> DetectionEvaluation {
        try await DetectionEvaluation(of: self, on: dataset, against: truth, options: options, progress: progress)
    }
}

extension LabelStudioRegion {
    /// The box of a person or hand, and its points.
    ///
    /// - Parameter count: The number of regions before these.
    static func pose(_ pose: Pose, in size: ImageSize, behind count: Int) -> [LabelStudioRegion] {
        let box = pose.box ?? NormalizedBox(around: pose.keypoints.map { SIMD2($0.x, $0.y) })
        let rectangle = rectangle(box, label: pose.label?.identifier ?? "person", score: pose.confidence, in: size)
        return [rectangle] + points(pose.keypoints, in: size, parent: count + 1)
    }
}
