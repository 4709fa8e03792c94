import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for PaddleDetection's exports with suppression in the file: PP-YOLOE, PicoDet, RT-DETR, PP-DocLayout.
///
/// Shapes: `[boxes, 6]`, rows `[class, confidence, left, top, right, bottom]` in pixels of the input, as the inputs
/// `im_shape` and `scale_factor` ask for (``PictureExtents``); and the number of boxes `[1]`, integers. Rows that are
/// not needed have the class −1. Source: https://github.com/PaddlePaddle/PaddleDetection (`deploy/python/infer.py`)
package struct PaddleDetectionDecoder: ObjectDecoder {
    package static let name = DecoderName.paddle
    package static let summary = "[boxes, 6]: class, confidence, edges in pixels; and the number of boxes [1]"
    package static let takesSinglePictures = true
    package let isSuppressed = true

    private let rows: Int
    private let count: Int?

    /// The positions of the boxes and of their number.
    private static func positions(_ signature: DetectorSignature) -> (rows: Int, count: Int?)? {
        guard (1...3).contains(signature.outputs.count),
            let rows = signature.position(where: { $0.shape?.count == 2 && $0.ends(with: 6) })
        else { return nil }
        let count = signature.position { $0.shape?.count == 1 && !($0.elementType?.isFloatingPoint ?? true) }
        return (rows, count)
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool {
        guard let positions = positions(signature) else { return false }
        return positions.count != nil || signature.takesExtents
    }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool {
        signature.takesExtents && recognizes(signature)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        Preprocessing(.fill, to: size, filter: .linear, scale: 1 / 255)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let (rows, count) = Self.positions(signature) else {
            throw Self.refusal(of: signature, "boxes [boxes, 6] and their number [1]")
        }
        (self.rows, self.count) = (rows, count)
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard outputs.indices.contains(max(rows, count ?? 0)), outputs[rows].shape.count == 2,
            outputs[rows].shape[1] == 6
        else { throw Self.mismatch("the outputs are \(outputs.map(\.shape))") }
        let values = try outputs[rows].finiteElements()
        var usable = values.count / 6
        if let count, let number = try outputs[count].finiteElements().first {
            usable = min(usable, Int(min(max(number, 0), 1e9)))
        }
        let all = ObjectRows(values, extent: 6, edges: 2, confidence: 1, label: 0, unit: inputSize)
        return try all.candidates(above: confidence, count: usable, Self.self)
    }
}
