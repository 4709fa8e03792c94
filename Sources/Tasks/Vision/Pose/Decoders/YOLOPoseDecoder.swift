import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YOLOv8-pose, YOLO11-pose and similar networks: a column `[center x, center y, width, height, class…,
/// point…]` for every anchor, in pixels of the input. A point is `[x, y]` or `[x, y, confidence]`.
///
/// Shape: `[1, 4 + classes + points × numbers, anchors]`. The number of points comes from the metadata `kpt_shape`, or
/// from the names of the points; else a network with one class has three numbers for each point.
/// Source: https://github.com/ultralytics/ultralytics (`Pose.kpts_decode`)
package struct YOLOPoseDecoder: PointDecoder {
    package static let name = PointDecoderName.yoloPose
    package static let summary = "[1, 4 + classes + points, anchors]: boxes and points in pixels"
    package static let customaryConfidence: Float = 0.25
    package static let isSuppressed = true
    package let schema: PointSchema

    private let classCount: Int
    private let pointCount: Int
    /// The numbers of a point: 2 or 3.
    private let pointExtent: Int
    private let labels: Labels?

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape, shape.count == 3,
            let extent = shape[1], let anchors = shape[2], extent >= 7
        else { return false }
        return anchors == signature.cellCount(strides: [8, 16, 32])
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? {
        .letterboxed(to: size, as: .ultralytics, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let shape = signature.outputs.first?.shape, shape.count == 3, let extent = shape[1],
            signature.areCells(shape[2], strides: configuration.strides)
        else {
            throw signature.refusal(
                decoder: Self.name.rawValue, "an output [1, 4 + classes + points × numbers, anchors]")
        }
        labels = configuration.labels
        let numbers = extent - 4 - (labels?.count ?? 1)
        let count = configuration.keypointShape?[0] ?? configuration.keypointNames?.count ?? numbers / 3
        let width = configuration.keypointShape?[1] ?? (count > 0 ? numbers / count : 0)
        (product, pointExtent, pointCount) = (count.multipliedReportingOverflow(by: width).partialValue, width, count)
        // The metadata say more about points than the number of names about classes.
        classCount = extent - 4 - product
        guard count >= 1, count <= extent, (2...3).contains(width), classCount >= 1,
            configuration.keypointShape != nil || product == numbers
        else {
            throw .usage(
                "\(signature.model): decoder \(Self.name.rawValue): \(extent) numbers for each anchor are not 4, "
                    + "those of \(labels?.count ?? 1) classes and those of \(max(0, count)) points; the metadata "
                    + "\"kpt_shape\", or \"keypoints\" beside the model, say how many points there are")
        }
        try labels?.check(classCount: classCount, model: signature.model, origin: nil)
        let isPerson = classCount == 1 && (labels?[0]).map { ["person", "0"].contains($0) } ?? true
        schema = count == PointSchema.coco.names.count && isPerson ? .coco : PointSchema()
    }

    private let product: Int

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        guard let output = outputs.first, output.shape.count == 2, output.shape[0] == 4 + classCount + product else {
            throw Self.mismatch(
                "the output is \(outputs.first?.shape ?? []), not [\(4 + classCount + product), anchors]")
        }
        let anchors = output.shape[1]
        let values = try output.finiteElements()
        try RecordError.checkConfidences(
            values[4 * anchors..<(4 + classCount) * anchors], "decoder \(Self.name.rawValue)")
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var found: [PointGroup] = []
        for anchor in 0..<anchors {
            func value(_ row: Int) -> Float { values[row * anchors + anchor] }
            guard (4..<4 + classCount).contains(where: { value($0) >= confidence }) else { continue }
            let scores = (4..<4 + classCount).map(value)
            guard let best = ObjectCandidate.best(scores) else { continue }
            let points = (0..<pointCount).map { point in
                let first = 4 + classCount + point * pointExtent
                return PointGroup.Point(
                    x: value(first) / width, y: value(first + 1) / height,
                    confidence: pointExtent == 3 ? value(first + 2) : nil)
            }
            let box = ObjectCandidate(
                centerX: value(0) / width, centerY: value(1) / height, width: value(2) / width,
                height: value(3) / height, confidence: best.score, classIndex: best.index, scores: scores)
            found.append(PointGroup(points, confidence: best.score, box: box))
        }
        return found
    }
}
