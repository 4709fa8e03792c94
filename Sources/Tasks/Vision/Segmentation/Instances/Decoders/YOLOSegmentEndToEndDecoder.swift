import Images
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// The decoder for networks of objects with masks whose exports end with the objects themselves, the best first:
/// YOLO26-seg, and Ultralytics' others with `nms=True`.
///
/// Shapes: `[1, objects, 6 + M]`, rows `[left, top, right, bottom, confidence, class, coefficient…]` in pixels of the
/// input, and prototypes `[1, M, h, w]`. Masks are those of ``YOLOSegmentDecoder``. Rows that are not needed have the
/// confidence 0.
/// Source: https://github.com/ultralytics/ultralytics (`Segment.postprocess`, `NMSModel`)
package struct YOLOSegmentEndToEndDecoder: InstanceDecoder {
    package static let name = "yolo-seg-end2end"

    package let classCount: Int? = nil

    private let rows: Int
    private let prototypes: Int
    private let maskCount: Int

    package static func recognizes(_ signature: DetectorSignature) -> Bool { parts(of: signature) != nil }

    /// The positions of both outputs, and the number of prototypes.
    private static func parts(of signature: DetectorSignature) -> (rows: Int, prototypes: Int, count: Int)? {
        guard signature.outputs.count == 2, signature.inputSize != nil,
            let rows = signature.position(where: { $0.shape?.count == 3 }),
            let prototypes = signature.position(where: { $0.shape?.count == 4 }),
            let count = signature.outputs[prototypes].shape?[1], count >= 1,
            YOLOEndToEndDecoder.isList(signature, at: rows, extent: 6 + count)
        else { return nil }
        return (rows, prototypes, count)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        YOLOSegmentDecoder.customaryPreprocessing(to: size)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let parts = Self.parts(of: signature) else {
            throw signature.refusal(
                decoder: Self.name, "outputs [1, objects, 6 + masks] and [1, masks, height, width]")
        }
        (rows, prototypes, maskCount) = parts
    }

    package func instances(
        in outputs: [Tensor], _ question: InstanceQuestion
    ) throws -> [(ObjectCandidate, RunLengths)] {
        guard outputs.count == 2, outputs[rows].shape.count == 2, outputs[prototypes].shape.count == 3,
            outputs[prototypes].shape[0] == maskCount, outputs[rows].shape[1] == 6 + maskCount,
            outputs[prototypes].elementCount > 0
        else {
            throw RecordError(
                stage: "predict", code: "shape",
                message: "decoder \(Self.name): the outputs are \(outputs.map(\.shape)), not rows and prototypes")
        }
        let values = try outputs[rows].finiteElements()
        let maps = try PrototypeMaps(outputs[prototypes], question)
        let rows = ObjectRows(
            values, extent: 6 + maskCount, edges: 0, confidence: 4, label: 5, unit: question.inputSize)
        let found = try rows.candidates(above: question.confidence, YOLOEndToEndDecoder.self) { ($0, $1) }
        let kept = found.filter { $0.0.isSound }.prefix(question.suppression.maximumCount)
        return try kept.compactMap { candidate, start in
            guard let box = candidate.box(question.placement) else { return nil }
            let mask = try maps.mask(Array(values[start + 6..<start + 6 + maskCount]), within: box)
            return mask.area > 0 ? (candidate, mask) : nil
        }
    }
}
