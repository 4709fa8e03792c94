import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for EfficientDet as its makers export it with suppression, for pictures of any size as pixels.
///
/// Shape: `detections` `[1, boxes, 7]`, rows `[picture, top, left, bottom, right, confidence, class]` in pixels of the
/// input. Classes count from 1. EfficientDet of TensorFlow's detection API and of TensorFlow Lite is read by
/// ``SSDDecoder``.
/// Source: https://github.com/google/automl (`efficientdet/inference.py`, `efficientdet/tf2/postprocess.py`)
package struct EfficientDetDecoder: ObjectDecoder {
    package static let name = DecoderName.efficientdet
    package static let summary = "detections [1, boxes, 7]: picture, edges in pixels from the top, confidence, class"
    package static var customaryConfidence: Float? { 0.4 }
    package let isSuppressed = true

    private let classOffset: Int

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        isRows(signature) && signature.outputs[0].isCalled("detections")
    }

    private static func isRows(_ signature: DetectorSignature) -> Bool {
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape else { return false }
        return shape.count == 3 && shape[2] == 7
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        var steps = Preprocessing(
            .fit, to: size, filter: .linear, scale: 1 / 255, mean: Preprocessing.imageNetMean,
            standardDeviation: Preprocessing.imageNetDeviation)
        steps.setResizing(.fit, to: size, letterbox: .yolox)
        return steps
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        classOffset = configuration.classOffset ?? 1
        guard Self.isRows(signature) else { throw Self.refusal(of: signature, "one output [1, boxes, 7]") }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard let output = outputs.first, output.shape.count == 3, output.shape[0] == 1, output.shape[2] == 7 else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [1, boxes, 7]")
        }
        // The edges in the order of other families, and classes from 0.
        let values = try output.finiteElements()
        var rows: [Float] = []
        rows.reserveCapacity(values.count / 7 * 6)
        for start in stride(from: 0, to: values.count, by: 7) {
            let row = values[start..<start + 7].map { $0 }
            rows += [row[2], row[1], row[4], row[3], row[5], row[6] - Float(classOffset)]
        }
        return try ObjectRows(rows, extent: 6, edges: 0, confidence: 4, label: 5, unit: inputSize)
            .candidates(above: confidence, Self.self)
    }
}
