import Glibc
import Images
import Inference
import Platform
import Tensors

/// The decoder for MediaPipe's detectors of faces (BlazeFace), which give boxes and six points relative to anchors.
///
/// Shapes: `[1, anchors, 16]`, the center, width, height and points (x, y) in pixels of the input, from the middle of
/// an anchor; and `[1, anchors, 1]`, the logits of the confidences. The points are the right eye, the left eye, the tip
/// of the nose, the middle of the mouth, and the right and the left ear, as the person has them. There are anchors in
/// the middle of each cell of grids with the strides 8 (two) and 16 (six), 16 (two) and 32 (six), or 4 (one), as the
/// number of anchors tells.
///
/// Confidences and points change by some percent with the pixels that the network sees, so that pictures are brought to
/// its size as MediaPipe does (``Preprocessing/Letterbox/mediapipe``).
///
/// Sources: `face_detection_short_range.pbtxt`, `face_detection_full_range.pbtxt` and
/// `tensors_to_detections_calculator.cc` of https://github.com/google-ai-edge/mediapipe
package struct BlazeFaceDecoder: ObjectDecoder {
    package static let name = DecoderName.mediapipeFace
    package static let summary = "boxes with six points [1, anchors, 16], and logits [1, anchors, 1]"

    package static let customaryConfidence: Float? = 0.5
    package static let customaryWeightedOverlap: Float? = 0.3

    private let numbers: Int
    private let scores: Int
    /// The middles of the anchors, in fractions of the input.
    private let anchors: [SIMD2<Float>]

    private static let numberCount = 16
    /// The strides of the grids, with the number of anchors in each cell.
    private static let grids: [[(stride: Int, count: Int)]] = [[(8, 2), (16, 6)], [(16, 2), (32, 6)], [(4, 1)]]

    package static func recognizes(_ signature: DetectorSignature) -> Bool { roles(of: signature) != nil }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool {
        recognizes(signature) && signature.outputs.allSatisfy { $0.isCalled("regressor", "classificator") }
    }

    package static func classCount(of signature: DetectorSignature) -> Int? { recognizes(signature) ? 1 : nil }

    package static let customaryLabels: Labels? = Labels(["face"])

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        var steps = Preprocessing.letterboxed(to: size, as: .mediapipe, color: .black, scale: 1 / 127.5)
        (steps.mean, steps.standardDeviation) = ([1], [1])
        return steps
    }

    /// The positions of the outputs, and the anchors.
    private static func roles(
        of signature: DetectorSignature
    ) -> (numbers: Int, scores: Int, anchors: [SIMD2<Float>])? {
        guard signature.outputs.count == 2, let size = signature.inputSize, size.width == size.height,
            let numbers = signature.position(where: { $0.shape?.count == 3 && $0.ends(with: numberCount) }),
            let scores = signature.position(where: { $0.shape?.count == 3 && $0.ends(with: 1) }),
            let count = signature.outputs[numbers].shape?[1], signature.outputs[scores].shape?[1] == count
        else { return nil }
        for grids in grids where grids.allSatisfy({ size.width.isMultiple(of: $0.stride) }) {
            let total = grids.reduce(0) { $0 + (size.width / $1.stride) * (size.width / $1.stride) * $1.count }
            if total == count { return (numbers, scores, anchors(grids, edge: size.width)) }
        }
        return nil
    }

    private static func anchors(_ grids: [(stride: Int, count: Int)], edge: Int) -> [SIMD2<Float>] {
        grids.flatMap { stride, count in
            let cells = edge / stride
            return (0..<cells * cells).flatMap { cell in
                let middle = SIMD2(Float(cell % cells) + 0.5, Float(cell / cells) + 0.5) / Float(cells)
                return [SIMD2<Float>](repeating: middle, count: count)
            }
        }
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let roles = Self.roles(of: signature) else {
            throw Self.refusal(of: signature, "boxes with six points [1, anchors, 16] and logits [1, anchors, 1]")
        }
        (numbers, scores, anchors) = (roles.numbers, roles.scores, roles.anchors)
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard outputs.indices.contains(max(numbers, scores)) else {
            throw Self.mismatch("there are \(outputs.count) outputs")
        }
        let numbers = outputs[numbers].elements(as: Float.self)
        let scores = outputs[scores].elements(as: Float.self)
        guard scores.count == anchors.count, numbers.count == anchors.count * Self.numberCount else {
            throw Self.mismatch("there are \(anchors.count) anchors and \(scores.count) scores")
        }
        let size = SIMD2(Float(inputSize.width), Float(inputSize.height))
        return anchors.indices.compactMap { index in
            // Logits beyond 100 are cut off.
            let score = 1 / (1 + exp(-min(max(scores[index], -100), 100)))
            guard score >= confidence else { return nil }
            let row = numbers[index * Self.numberCount..<(index + 1) * Self.numberCount]
            let pairs = stride(from: row.startIndex, to: row.endIndex, by: 2).map {
                SIMD2(row[$0], row[$0 + 1]) / size
            }
            let center = pairs[0] + anchors[index]
            var candidate = ObjectCandidate(
                centerX: center.x, centerY: center.y, width: pairs[1].x, height: pairs[1].y, confidence: score,
                classIndex: 0, scores: [])
            candidate.points = pairs.dropFirst(2).map { $0 + anchors[index] }
            return candidate
        }
    }
}
