import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YOLO-NAS-Pose as SuperGradients exports it with suppression.
///
/// Shape in its format `flat`: `flat_predictions` `[people, 6 + 3 · points]`, rows `[picture, left, top, right,
/// bottom, confidence, point…]`. Shapes in its format `batch`: the number of people `[1, 1]`, boxes `[1, people, 4]`,
/// confidences `[1, people]`, and points `[1, people, points, 3]`. A point is x, y and its confidence. Edges and points
/// are in pixels of the input. The file leaves out people with little confidence itself.
/// Source: https://github.com/Deci-AI/super-gradients (`src/super_gradients/conversion/onnx/pose_nms.py`,
/// `default_yolo_nas_pose_coco_processing_params`)
package struct YOLONASPoseDecoder: PointDecoder {
    package static let name = PointDecoderName.yoloNASPose
    package static let summary = "flat_predictions [people, 6 + points], or four outputs: number, boxes, scores, points"
    package let schema: PointSchema

    private let isFlat: Bool
    private let pointCount: Int

    /// The most points of a person that are read.
    private static let maximumPointCount = 10_000

    /// The number of points, and whether all numbers are in one output; nil for outputs of another family.
    private static func form(_ signature: DetectorSignature) -> (pointCount: Int, isFlat: Bool)? {
        let outputs = signature.outputs
        if outputs.count == 1, let shape = outputs[0].shape, shape.count == 2, let extent = shape[1] {
            guard extent > 6, extent.isMultiple(of: 3), extent / 3 <= maximumPointCount else { return nil }
            return ((extent - 6) / 3, true)
        }
        guard outputs.count == 4, outputs[0].shape?.count == 2, outputs[0].ends(with: 1),
            outputs[1].shape?.count == 3, outputs[1].ends(with: 4), outputs[2].shape?.count == 2,
            let points = outputs[3].shape, points.count == 4, points[3] == 3, let count = points[2],
            (1...maximumPointCount).contains(count)
        else { return nil }
        return (count, false)
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard let form = form(signature) else { return false }
        return !form.isFlat || signature.outputs[0].isCalled("flat_predictions")
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool {
        recognizes(signature) && signature.outputs[0].isCalled("flat_predictions", "num_predictions")
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? {
        .letterboxed(
            to: size, as: .superGradientsCorner, color: Preprocessing.Color(red: 127, green: 127, blue: 127),
            scale: 1 / 255, .bgr)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let form = Self.form(signature) else {
            throw signature.refusal(decoder: Self.name.rawValue, Self.summary)
        }
        (pointCount, isFlat) = form
        schema = .ofPeople(pointCount)
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        let rows = try isFlat ? flatRows(outputs) : joinedRows(outputs)
        let extent = 5 + 3 * pointCount
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        var found: [PointGroup] = []
        for start in stride(from: 0, to: rows.count, by: extent) {
            let score = rows[start + 4]
            let places = stride(from: start + 5, to: start + extent, by: 3)
            try RecordError.checkConfidences(
                [score] + places.map { rows[$0 + 2] }, "decoder \(Self.name.rawValue)")
            guard score >= confidence else { continue }
            let box = ObjectCandidate(
                left: rows[start] / width, top: rows[start + 1] / height, right: rows[start + 2] / width,
                bottom: rows[start + 3] / height, confidence: score, classIndex: 0)
            let points = places.map { place in
                PointGroup.Point(x: rows[place] / width, y: rows[place + 1] / height, confidence: rows[place + 2])
            }
            found.append(PointGroup(points, confidence: score, box: box))
        }
        return found.enumerated().sorted { first, second in
            (second.element.confidence ?? 0, first.offset) < (first.element.confidence ?? 0, second.offset)
        }.map(\.element)
    }

    /// The rows without the number of the picture.
    private func flatRows(_ outputs: [Tensor]) throws(RecordError) -> [Float] {
        let extent = 6 + 3 * pointCount
        guard let output = outputs.first, output.elementCount.isMultiple(of: extent), output.shape.last == extent else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [people, \(extent)]")
        }
        let numbers = try output.finiteElements()
        return numbers.indices.filter { !$0.isMultiple(of: extent) }.map { numbers[$0] }
    }

    /// The rows of the people that the first output counts.
    private func joinedRows(_ outputs: [Tensor]) throws(RecordError) -> [Float] {
        guard outputs.count == 4, outputs[0].elementCount == 1 else {
            throw Self.mismatch("the outputs are \(outputs.map(\.shape))")
        }
        let capacity = outputs[2].elementCount
        guard outputs[1].elementCount == 4 * capacity, outputs[3].elementCount == 3 * pointCount * capacity else {
            throw Self.mismatch("the outputs are \(outputs.map(\.shape))")
        }
        let (edges, scores) = (try outputs[1].finiteElements(), try outputs[2].finiteElements())
        let (number, points) = (try outputs[0].finiteElements(), try outputs[3].finiteElements())
        var rows: [Float] = []
        for person in 0..<min(capacity, Int(min(max(number[0], 0), 1e9))) {
            rows += edges[person * 4..<person * 4 + 4]
            rows.append(scores[person])
            rows += points[person * 3 * pointCount..<(person + 1) * 3 * pointCount]
        }
        return rows
    }
}
