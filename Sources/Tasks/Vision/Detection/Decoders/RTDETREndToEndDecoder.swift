import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for RT-DETR and D-FINE as their makers export them, with the picture's size as the input
/// `orig_target_sizes` (``PictureExtents``).
///
/// Shapes: labels `[1, boxes]`, boxes `[1, boxes, 4]`, left, top, right and bottom in pixels of that size, and scores
/// `[1, boxes]`.
/// Source: https://github.com/lyuwenyu/RT-DETR (`rtdetrv2_pytorch/references/deploy/rtdetrv2_onnxruntime.py`)
package struct RTDETREndToEndDecoder: ObjectDecoder {
    package static let name = DecoderName.rtdetrEndToEnd
    package static let summary = "labels [1, boxes], boxes [1, boxes, 4] in pixels, scores [1, boxes]"
    package let isSuppressed = true

    private let labels, boxes, scores: Int

    private static func positions(_ signature: DetectorSignature) -> (labels: Int, boxes: Int, scores: Int)? {
        guard signature.takesExtents, signature.outputs.count == 3,
            let boxes = signature.position(where: { $0.isCalled("box") && $0.ends(with: 4) }),
            let labels = signature.position(where: { $0.isCalled("label", "class") }),
            let scores = signature.position(where: { $0.isCalled("score", "conf") })
        else { return nil }
        return Set([labels, boxes, scores]).count == 3 ? (labels, boxes, scores) : nil
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }
    package static func isToldByNames(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        RTDETRDecoder.customaryPreprocessing(to: size)
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let positions = Self.positions(signature) else {
            throw Self.refusal(of: signature, "labels, boxes and scores, and the picture's size as an input")
        }
        (labels, boxes, scores) = positions
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard outputs.count == 3 else { throw Self.mismatch("there are \(outputs.count) outputs") }
        let (numbers, edges) = (try outputs[labels].finiteElements(), try outputs[boxes].finiteElements())
        let scores = try outputs[scores].finiteElements()
        guard numbers.count == scores.count, edges.count == 4 * scores.count else {
            throw Self.mismatch(
                "there are \(edges.count / 4) boxes, \(numbers.count) labels and \(scores.count) scores")
        }
        let rows = scores.indices.flatMap { Array(edges[$0 * 4..<$0 * 4 + 4]) + [scores[$0], numbers[$0]] }
        return try ObjectRows(rows, extent: 6, edges: 0, confidence: 4, label: 5, unit: inputSize)
            .candidates(above: confidence, Self.self)
    }
}
