import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for detectors of turned boxes whose exports end with the boxes themselves, the best first: YOLO26-obb,
/// and Ultralytics' others with `nms=True`.
///
/// Shapes: `[1, boxes, 7]`, rows `[center x, center y, width, height, confidence, class, angle]` in pixels of the input
/// and radians clockwise. Rows that are not needed have the confidence 0.
/// Source: https://github.com/ultralytics/ultralytics (`OBB.postprocess`, `NMSModel`)
package struct YOLOOBBEndToEndDecoder: ObjectDecoder {
    package static let name = DecoderName.yoloOBBEndToEnd
    package static let summary = "[1, boxes, 7]: center and size in pixels, confidence, class, angle"
    package static let isRotated = true
    package let isSuppressed = true

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        YOLOEndToEndDecoder.isList(signature, extent: 7)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        YOLOv8Decoder.customaryPreprocessing(to: size)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let shape = signature.outputs.first?.shape, shape.count == 3, shape[2].map({ $0 == 7 }) ?? true else {
            throw Self.refusal(of: signature, "one output [1, boxes, 7]")
        }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard let output = outputs.first, output.shape.count == 3, output.shape[0] == 1, output.shape[2] == 7 else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [1, boxes, 7]")
        }
        let values = try output.finiteElements()
        let rows = ObjectRows(values, extent: 7, edges: 0, confidence: 4, label: 5, unit: inputSize)
        return try rows.candidates(above: confidence, Self.self) { candidate, start in
            let box = RotatedBox(
                center: SIMD2(values[start], values[start + 1]), width: values[start + 2], height: values[start + 3],
                angle: values[start + 6])
            return ObjectCandidate(
                box, inputSize, confidence: candidate.confidence, classIndex: candidate.classIndex)
        }
    }
}
