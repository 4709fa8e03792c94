import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YOLOv5, YOLOv7 and similar detectors whose network decodes the boxes: a row
/// `[center x, center y, width, height, objectness, class…]` for every anchor, in pixels of the input.
///
/// Shapes: `[1, anchors, 5 + classes]`; confidence = objectness × class.
/// Source: https://github.com/ultralytics/yolov5 (`Detect.forward`)
package struct YOLOv5Decoder: ObjectDecoder {
    package static let name = DecoderName.yolov5
    package static let summary = "[1, anchors, 5 + classes]: boxes in pixels, objectness, classes"

    private let isNormalized: Bool

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard let shape = signature.outputs.first?.shape, shape.count == 3, let anchors = shape[1],
            let extent = shape[2], extent >= 6, let cells = signature.cellCount(strides: [8, 16, 32])
        else { return false }
        return anchors == 3 * cells
    }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        signature.outputs.first?.shape.flatMap { $0.count == 3 ? $0[2].map { $0 - 5 } : nil }
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        .letterboxed(to: size, as: .ultralytics, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        isNormalized = configuration.boxUnits == .normalized
        guard let shape = signature.outputs.first?.shape, shape.count == 3, shape[2].map({ $0 >= 6 }) ?? true,
            configuration.boxUnits == .normalized
                || signature.areCells(shape[1], strides: configuration.strides, anchors: 1...9)
        else {
            throw Self.refusal(
                of: signature, "an output [1, anchors, 5 + classes], some anchors for each cell of its grids")
        }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard let output = outputs.first, output.shape.count == 3, output.shape[0] == 1, output.shape[2] >= 6 else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [1, anchors, 5 + classes]")
        }
        let extent = output.shape[2]
        let values = try output.finiteElements()
        try Self.checkConfidences(
            stride(from: 0, to: values.count, by: extent).lazy.flatMap { values[$0 + 4..<$0 + extent] })
        let (width, height) = isNormalized ? (1, 1) : (Float(inputSize.width), Float(inputSize.height))
        var found: [ObjectCandidate] = []
        for start in stride(from: 0, to: values.count, by: extent) {
            let objectness = values[start + 4]
            guard objectness >= confidence, let best = ObjectCandidate.best(values[start + 5..<start + extent]),
                objectness * best.score >= confidence
            else { continue }
            found.append(
                ObjectCandidate(
                    centerX: values[start] / width, centerY: values[start + 1] / height,
                    width: values[start + 2] / width, height: values[start + 3] / height,
                    confidence: objectness * best.score, classIndex: best.index,
                    scores: values[start + 5..<start + extent].map { $0 * objectness }))
        }
        return found
    }
}
