import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for exports of the YOLO family that end with the boxes themselves, the best first: YOLOv10, YOLO26, and
/// Ultralytics' others with `nms=True`.
///
/// Shapes: `[1, boxes, 6]`, rows `[left, top, right, bottom, confidence, class]` in pixels of the input. Rows that are
/// not needed have the confidence 0.
/// Source: https://github.com/ultralytics/ultralytics (`Detect.postprocess`, `NMSModel`)
package struct YOLOEndToEndDecoder: ObjectDecoder {
    package static let name = DecoderName.yoloEndToEnd
    package static let summary = "[1, boxes, 6]: edges in pixels, confidence, class"
    package let isSuppressed = true

    private let isNormalized: Bool

    /// The most boxes that exports give; networks that give every cell have more.
    private static let maximumBoxCount = 1000

    package static func recognizes(_ signature: DetectorSignature) -> Bool { isList(signature, extent: 6) }

    /// Whether an output, by default the only one, is a short list of objects with `extent` numbers each.
    static func isList(_ signature: DetectorSignature, at position: Int? = nil, extent: Int) -> Bool {
        guard position != nil || signature.outputs.count == 1, signature.outputs.indices.contains(position ?? 0),
            let shape = signature.outputs[position ?? 0].shape, shape.count == 3, shape[2] == extent,
            let count = shape[1], count <= maximumBoxCount
        else { return false }
        return signature.inputSize == nil || !signature.areCells(count, strides: nil, anchors: 1...3)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        YOLOv8Decoder.customaryPreprocessing(to: size)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        isNormalized = configuration.boxUnits == .normalized
        guard signature.outputs.count == 1, let shape = signature.outputs[0].shape, shape.count == 3,
            shape[2].map({ $0 == 6 }) ?? true
        else { throw Self.refusal(of: signature, "one output [1, boxes, 6]") }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard let output = outputs.first, output.shape.count == 3, output.shape[0] == 1, output.shape[2] == 6 else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [1, boxes, 6]")
        }
        let rows = ObjectRows(
            try output.finiteElements(), extent: 6, edges: 0, confidence: 4, label: 5,
            unit: isNormalized ? ImageSize(width: 1, height: 1) : inputSize)
        return try rows.candidates(above: confidence, Self.self)
    }
}

/// The decoder for exports of YOLOv7 with `--end2end --max-wh`.
///
/// Shapes: `[boxes, 7]`, rows `[picture, left, top, right, bottom, class, confidence]` in pixels of the input.
/// Source: https://github.com/WongKinYiu/yolov7 (`ONNX_ORT` of `models/experimental.py`)
package struct YOLOv7EndToEndDecoder: ObjectDecoder {
    package static let name = DecoderName.yolov7EndToEnd
    package static let summary = "[boxes, 7]: picture, edges in pixels, class, confidence"
    package static let takesSinglePictures = true
    package let isSuppressed = true

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard isRows(signature), let shape = signature.outputs[0].shape else { return false }
        // A number of rows that is fixed is that of pictures.
        return shape[0] == nil
    }

    private static func isRows(_ signature: DetectorSignature) -> Bool {
        signature.outputs.count == 1 && signature.outputs[0].shape?.count == 2 && signature.outputs[0].ends(with: 7)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        YOLOv8Decoder.customaryPreprocessing(to: size)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard Self.isRows(signature) else { throw Self.refusal(of: signature, "one output [boxes, 7]") }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard let output = outputs.first, output.shape.count == 2, output.shape[1] == 7 else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [boxes, 7]")
        }
        let rows = ObjectRows(
            try output.finiteElements(), extent: 7, edges: 1, confidence: 6, label: 5, unit: inputSize)
        return try rows.candidates(above: confidence, Self.self)
    }
}
