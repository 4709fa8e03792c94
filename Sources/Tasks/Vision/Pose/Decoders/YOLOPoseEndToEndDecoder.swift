import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for networks for poses whose exports end with the people themselves, the best first: YOLO26-pose, and
/// Ultralytics' others with `nms=True`.
///  Shape: `[1, people, 6 + points × numbers]`, rows `[left, top, right, bottom, confidence, class, point…]` in pixels
/// of the input. A point is `[x, y]` or `[x, y, confidence]`; the metadata `kpt_shape` say which, and else three
/// numbers are taken for a point. Rows that are not needed have the confidence 0.
/// Source: https://github.com/ultralytics/ultralytics (`Pose.postprocess`, `NMSModel`)
package struct YOLOPoseEndToEndDecoder: PointDecoder {
    package static let name = PointDecoderName.yoloPoseEndToEnd
    package static let summary = "[1, people, 6 + points]: edges in pixels, confidence, class, points in pixels"
    package static let customaryConfidence: Float = 0.25
    package let schema: PointSchema

    private let pointCount: Int
    /// The numbers of a point: 2 or 3.
    private let pointExtent: Int

    private var extent: Int { 6 + pointCount * pointExtent }

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape, shape.count == 3,
            let extent = shape[2], extent >= 12, extent.isMultiple(of: 3)
        else { return false }
        return YOLOEndToEndDecoder.isList(signature, extent: extent)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? {
        .letterboxed(to: size, as: .ultralytics, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let shape = signature.outputs.first?.shape, shape.count == 3, let extent = shape[2], extent > 7 else {
            throw signature.refusal(decoder: Self.name.rawValue, "an output [1, people, 6 + points × numbers]")
        }
        let numbers = extent - 6
        pointExtent = configuration.keypointShape?[1] ?? (numbers.isMultiple(of: 3) ? 3 : 2)
        guard (2...3).contains(pointExtent), numbers.isMultiple(of: pointExtent) else {
            throw .usage(
                "\(signature.model): decoder \(Self.name.rawValue): \(extent) numbers for each person are not 6 and "
                    + "those of whole points; the metadata \"kpt_shape\" say how many numbers a point has")
        }
        pointCount = numbers / pointExtent
        let isPerson = configuration.labels.map { $0.count == 1 && ["person", "0"].contains($0[0]) } ?? true
        schema = pointCount == PointSchema.coco.names.count && isPerson ? .coco : PointSchema()
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        guard let output = outputs.first, output.shape.count == 2, output.shape[1] == extent else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [people, \(extent)]")
        }
        let values = try output.finiteElements()
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        let rows = ObjectRows(values, extent: extent, edges: 0, confidence: 4, label: 5, unit: inputSize)
        return try rows.candidates(above: confidence, YOLOEndToEndDecoder.self) { box, start in
            let points = (0..<pointCount).map { point in
                let first = start + 6 + point * pointExtent
                return PointGroup.Point(
                    x: values[first] / width, y: values[first + 1] / height,
                    confidence: pointExtent == 3 ? values[first + 2] : nil)
            }
            return PointGroup(points, confidence: box.confidence, box: box)
        }
    }
}
