import Platform
import Datasets
import FoundationEssentials
import Images
import Predicting

extension InstanceSegmentation: MaskedAnswer {
    func maskFile(comment: String) throws -> Data {
        let bytes = numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return try PNGEncoder.encode(bytes, size: imageSize, .gray16, comment: comment)
    }

    var opacity: [UInt8] { numbers.map { $0 == 0 ? 0 : 255 } }
}

extension InstanceSegmentation: YOLOAnswer {
    var yoloLines: [YOLOLine] {
        instances.map { YOLOLine(index: $0.label.index, numbers: $0.outline, confidence: $0.confidence) }
    }
}

extension Instance {
    /// The corners of the largest outline of the mask; those of the box where the mask has no pixel.
    fileprivate var outline: [Float] {
        guard let largest = runs.outline.polygons.max(by: { Self.area(of: $0) < Self.area(of: $1) }) else {
            return [box.x, box.y, box.maxX, box.y, box.maxX, box.maxY, box.x, box.maxY]
        }
        let extents = [Float(runs.size.width), Float(runs.size.height)]
        return largest.enumerated().map { Float($1) / extents[$0 % 2] }
    }

    /// Twice the area of a polygon, [x, y, x, y, …].
    private static func area(of polygon: [Int]) -> Int {
        let count = polygon.count
        return abs(
            stride(from: 0, to: count - 1, by: 2).reduce(0) { sum, index in
                let next = (index + 2) % count
                return sum + polygon[index] * polygon[next + 1] - polygon[next] * polygon[index + 1]
            })
    }
}

extension InstanceSegmentation: ComparedAnswer {
    static let comparedKind = DetectionEvaluation.Kind.masks

    func confident(_ least: Float) -> InstanceSegmentation {
        InstanceSegmentation(instances.filter { $0.confidence >= least }, imageSize: imageSize)
    }
}

extension InstanceSegmenter {
    /// Predicts every picture of a dataset that a ground truth has, and compares the masks.
    ///
    /// The pictures, the classes and the errors are those of ``ObjectDetector/evaluate(_:against:options:progress:)``.
    public func evaluate(
        _ dataset: some Dataset, against truth: COCOGroundTruth, options: EvaluationOptions = EvaluationOptions(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> DetectionEvaluation {
        try await DetectionEvaluation(of: self, on: dataset, against: truth, options: options, progress: progress)
    }
}
