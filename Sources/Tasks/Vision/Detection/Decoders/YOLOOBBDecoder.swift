import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for YOLOv8-obb, YOLO11-obb and similar detectors of turned boxes: a column `[center x, center y, width,
/// height, class…, angle]` for every anchor, in pixels of the input and radians clockwise.
///
/// Shape: `[1, 4 + classes + 1, anchors]`. It is that of a detector with one class more, so that the outputs do not
/// tell it: the metadata `task` is `obb`, or the decoder is named.
/// Source: https://github.com/ultralytics/ultralytics (`OBB._inference`)
package struct YOLOOBBDecoder: ObjectDecoder {
    package static let name = DecoderName.yoloOBB
    package static let summary = "[1, 4 + classes + 1, anchors]: boxes in pixels, classes, angles"
    package static let isRotated = true

    package static func recognizes(_ signature: DetectorSignature) -> Bool { false }

    package static func classCount(of signature: DetectorSignature) -> Int? {
        signature.outputs.first?.shape.flatMap { $0.count == 3 ? $0[1].map { $0 - 5 } : nil }
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        .letterboxed(to: size, as: .ultralytics, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let shape = signature.outputs.first?.shape, shape.count == 3, shape[1].map({ $0 >= 6 }) ?? true,
            signature.areCells(shape[2], strides: configuration.strides)
        else {
            throw Self.refusal(
                of: signature, "an output [1, 4 + classes + 1, anchors], an anchor for each cell of its grids")
        }
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard let output = outputs.first, output.shape.count == 3, output.shape[0] == 1, output.shape[1] >= 6 else {
            throw Self.mismatch("the output is \(outputs.first?.shape ?? []), not [1, 4 + classes + 1, anchors]")
        }
        let (extent, anchors) = (output.shape[1] - 1, output.shape[2])
        let values = try output.finiteElements()
        try Self.checkConfidences(values[4 * anchors..<extent * anchors])
        var found: [ObjectCandidate] = []
        for anchor in 0..<anchors {
            func value(_ row: Int) -> Float { values[row * anchors + anchor] }
            guard (4..<extent).contains(where: { value($0) >= confidence }) else { continue }
            let scores = (4..<extent).map(value)
            guard let best = ObjectCandidate.best(scores) else { continue }
            let box = RotatedBox(
                center: SIMD2(value(0), value(1)), width: value(2), height: value(3), angle: value(extent))
            found.append(ObjectCandidate(box, inputSize, confidence: best.score, classIndex: best.index, scores))
        }
        return found
    }
}

extension ObjectCandidate {
    /// Makes the box around a turned box.
    init(
        _ box: RotatedBox, _ inputSize: ImageSize, confidence: Float, classIndex: Int, _ scores: [Float] = []
    ) {
        let (x, y) = (box.corners.map(\.x), box.corners.map(\.y))
        let (width, height) = (Float(inputSize.width), Float(inputSize.height))
        self.init(
            left: (x.min() ?? 0) / width, top: (y.min() ?? 0) / height, right: (x.max() ?? 0) / width,
            bottom: (y.max() ?? 0) / height, confidence: confidence, classIndex: classIndex, scores: scores)
        rotated = box
    }
}
