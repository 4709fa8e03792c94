import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YOLOv8, YOLO11 and similar detectors: a column `[center x, center y, width, height, class…]` for
/// every anchor, in pixels of the input, without objectness.
///
/// Shapes: `[1, 4 + classes, anchors]`, or `[1, anchors, 4 + classes]`; the longer of the two axes is that of the
/// anchors.
/// Source: https://github.com/ultralytics/ultralytics (`Detect._inference`)
package struct YOLOv8Decoder: ObjectDecoder {
    package static let name = DecoderName.yolov8
    package static let summary = "[1, 4 + classes, anchors]: boxes in pixels, classes"

    private let isNormalized: Bool

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard let shape = signature.outputs.first?.shape, shape.count == 3, let extent = shape[1],
            let anchors = shape[2], extent >= 5
        else { return false }
        return anchors == signature.cellCount(strides: [8, 16, 32])
    }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        guard let shape = signature.outputs.first?.shape, shape.count == 3, let first = shape[1] else { return nil }
        return min(first, shape[2] ?? first) - 4
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        .letterboxed(to: size, as: .ultralytics, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        isNormalized = configuration.boxUnits == .normalized
        guard let shape = signature.outputs.first?.shape, shape.count == 3,
            configuration.boxUnits == .normalized
                || signature.areCells(shape[2], strides: configuration.strides)
                || signature.areCells(shape[1], strides: configuration.strides)
        else {
            throw Self.refusal(
                of: signature, "an output [1, 4 + classes, anchors], an anchor for each cell of its grids")
        }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard let output = outputs.first, output.shape.count == 3, output.shape[0] == 1,
            min(output.shape[1], output.shape[2]) >= 5
        else { throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [1, 4 + classes, anchors]") }
        let isTransposed = output.shape[1] > output.shape[2]
        let (extent, anchors) = (min(output.shape[1], output.shape[2]), max(output.shape[1], output.shape[2]))
        let (step, between) = isTransposed ? (1, extent) : (anchors, 1)
        let values = try output.finiteElements()
        if isTransposed {
            try Self.checkConfidences((0..<anchors).lazy.flatMap { values[$0 * extent + 4..<($0 + 1) * extent] })
        } else {
            try Self.checkConfidences(values[(4 * anchors)...])
        }
        let (width, height) = isNormalized ? (1, 1) : (Float(inputSize.width), Float(inputSize.height))
        var found: [ObjectCandidate] = []
        for anchor in 0..<anchors {
            let start = anchor * between
            let isConfident = (4..<extent).contains { values[start + $0 * step] >= confidence }
            guard isConfident else { continue }
            let scores = (4..<extent).map { values[start + $0 * step] }
            guard let best = ObjectCandidate.best(scores) else { continue }
            found.append(
                ObjectCandidate(
                    centerX: values[start] / width, centerY: values[start + step] / height,
                    width: values[start + 2 * step] / width, height: values[start + 3 * step] / height,
                    confidence: best.score, classIndex: best.index, scores: scores))
        }
        return found
    }
}
