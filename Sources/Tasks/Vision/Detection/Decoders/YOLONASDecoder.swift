import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YOLO-NAS without suppression in the file.
///
/// Shapes, for the cells of the strides 8, 16 and 32: boxes `[1, cells, 4]`, left, top, right and bottom in pixels of
/// the input, and probabilities `[1, cells, classes]`. Each class of a cell that is likely enough is a box of its own.
/// Source: https://github.com/Deci-AI/super-gradients (`PPYoloEPostPredictionCallback`,
/// `default_yolo_nas_coco_processing_params`)
package struct YOLONASDecoder: ObjectDecoder {
    package static let name = DecoderName.yoloNAS
    package static let summary = "boxes [1, cells, 4] in pixels, probabilities [1, cells, classes]"
    package static var customaryOverlap: Float? { 0.7 }

    private let boxes, scores: Int

    private static func positions(_ signature: DetectorSignature) -> (boxes: Int, scores: Int)? {
        guard signature.outputs.count == 2, let cells = signature.cellCount(strides: [8, 16, 32]), cells > 0 else {
            return nil
        }
        let areCells = signature.outputs.allSatisfy { $0.shape?.count == 3 && $0.shape?[1] == cells }
        guard areCells, !signature.outputs.contains(where: { $0.isCalled("logits") }) else { return nil }
        if signature.outputs[0].ends(with: 4) { return (0, 1) }
        return signature.outputs[1].ends(with: 4) ? (1, 0) : nil
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }

    /// Other families give the probabilities first.
    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { positions(signature)?.boxes == 0 }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        positions(signature).flatMap { signature.outputs[$0.scores].shape?.last ?? nil }
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        .letterboxed(to: size, as: .superGradients, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let positions = Self.positions(signature) else {
            throw Self.refusal(of: signature, "two outputs: \(Self.summary)")
        }
        (boxes, scores) = positions
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard outputs.count == 2, outputs[boxes].shape.count == 3, outputs[scores].shape.count == 3,
            outputs[boxes].shape[2] == 4, outputs[boxes].shape[0] == 1, outputs[scores].shape[0] == 1,
            outputs[boxes].shape[1] == outputs[scores].shape[1]
        else { throw Self.mismatch("the outputs are \(outputs.map(\.shape))") }
        let (edges, probabilities) = (try outputs[boxes].finiteElements(), try outputs[scores].finiteElements())
        try Self.checkConfidences(probabilities)
        let classCount = outputs[scores].shape[2]
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        return probabilities.indices.filter { probabilities[$0] >= confidence }.map { place in
            let box = place / classCount * 4
            return ObjectCandidate(
                left: edges[box] / width, top: edges[box + 1] / height, right: edges[box + 2] / width,
                bottom: edges[box + 3] / height, confidence: probabilities[place], classIndex: place % classCount)
        }
    }
}

/// The decoder for networks that SuperGradients exports with suppression in the format `flat`.
///
/// Shape: `flat_predictions` `[boxes, 7]`, rows `[picture, left, top, right, bottom, confidence, class]` in pixels of
/// the input.
/// Source: https://github.com/Deci-AI/super-gradients (`src/super_gradients/conversion/onnx/nms.py`)
package struct YOLONASFlatDecoder: ObjectDecoder {
    package static let name = DecoderName.yoloNASFlat
    package static let summary = "flat_predictions [boxes, 7]: picture, edges in pixels, confidence, class"
    package static let takesSinglePictures = true
    package let isSuppressed = true

    private static func isRows(_ signature: DetectorSignature) -> Bool {
        signature.outputs.count == 1 && signature.outputs[0].shape?.count == 2 && signature.outputs[0].ends(with: 7)
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        isRows(signature) && signature.outputs[0].isCalled("flat_predictions")
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        YOLONASDecoder.customaryPreprocessing(to: size)
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
            try output.finiteElements(), extent: 7, edges: 1, confidence: 5, label: 6, unit: inputSize)
        return try rows.candidates(above: confidence, Self.self)
    }
}

/// The decoder for networks that SuperGradients exports with suppression in the format `batch`.
///
/// Shapes: the number of boxes `[1, 1]`, boxes `[1, boxes, 4]`, left, top, right and bottom in pixels of the input,
/// confidences `[1, boxes]`, and classes `[1, boxes]`, integers.
/// Source: https://github.com/Deci-AI/super-gradients (`src/super_gradients/conversion/onnx/nms.py`)
package struct YOLONASBatchDecoder: ObjectDecoder {
    package static let name = DecoderName.yoloNASBatch
    package static let summary = "the number of boxes [1, 1], boxes [1, boxes, 4] in pixels, scores, classes"
    package let isSuppressed = true

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        let outputs = signature.outputs
        guard outputs.count == 4, outputs[0].shape?.count == 2, outputs[0].ends(with: 1),
            outputs[1].shape?.count == 3, outputs[1].ends(with: 4), outputs[2].shape?.count == 2,
            outputs[3].shape?.count == 2
        else { return false }
        return [0, 3].allSatisfy { outputs[$0].elementType.map { !$0.isFloatingPoint } ?? false }
    }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool {
        recognizes(signature) && signature.outputs[0].isCalled("num_predictions")
            && signature.outputs[1].isCalled("pred_boxes")
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        YOLONASDecoder.customaryPreprocessing(to: size)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard Self.recognizes(signature) else { throw Self.refusal(of: signature, "four outputs: \(Self.summary)") }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard outputs.count == 4, outputs[0].elementCount == 1, outputs[1].elementCount / 4 == outputs[2].elementCount,
            outputs[1].elementCount.isMultiple(of: 4), outputs[2].elementCount == outputs[3].elementCount
        else { throw Self.mismatch("the outputs are \(outputs.map(\.shape))") }
        let (edges, scores) = (try outputs[1].finiteElements(), try outputs[2].finiteElements())
        let (number, classes) = (try outputs[0].finiteElements(), try outputs[3].finiteElements())
        let rows = scores.indices.flatMap { edges[$0 * 4..<$0 * 4 + 4] + [scores[$0], classes[$0]] }
        return try ObjectRows(rows, extent: 6, edges: 0, confidence: 4, label: 5, unit: inputSize)
            .candidates(above: confidence, count: Int(min(max(number[0], 0), 1e9)), Self.self)
    }
}
