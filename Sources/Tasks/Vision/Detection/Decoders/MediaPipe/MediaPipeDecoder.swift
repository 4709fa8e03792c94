import Glibc
import Images
import Models
import Platform
import Preparation
import Tensors

/// A decoder for one of MediaPipe's detectors, which give boxes and points relative to anchors.
///
/// Shapes: `[1, anchors, 4 + 2 · points]`, the center, width, height and points (x, y) in pixels of the input, from the
/// middle of an anchor; and `[1, anchors, 1]`, the logits of the confidences. There are anchors in the middle of each
/// cell of several grids, whose number tells the grids.
///
/// Confidences and points change by some percent with the pixels that the network sees, so that pictures are brought to
/// its size as MediaPipe does (``Preprocessing/Letterbox/mediapipe``).
///
/// Source: `tensors_to_detections_calculator.cc` of https://github.com/google-ai-edge/mediapipe
package protocol MediaPipeDecoder: ObjectDecoder {
    /// What the boxes go around, in one word.
    static var label: String { get }
    /// The number of points of a box.
    static var pointCount: Int { get }
    /// The grids that networks of this family have: the strides, with the number of anchors in each cell.
    static var grids: [[(stride: Int, count: Int)]] { get }
    /// The number that black pixels become; white ones become 1.
    static var black: Float { get }

    /// The positions of the outputs, and the anchors.
    var reading: MediaPipeReading { get }

    init(_ reading: MediaPipeReading)
}

/// The positions of the outputs of one of MediaPipe's detectors, and its anchors.
package struct MediaPipeReading: Sendable {
    fileprivate let numbers: Int
    fileprivate let scores: Int
    /// The middles of the anchors, in fractions of the input.
    fileprivate let anchors: [SIMD2<Float>]
    var anchorCount: Int { anchors.count }

    /// Nil for outputs of another family.
    fileprivate init?(_ signature: DetectorSignature, _ decoder: any MediaPipeDecoder.Type) {
        let numberCount = decoder.numberCount
        guard signature.outputs.count == 2, let size = signature.inputSize, size.width == size.height,
            let numbers = signature.position(where: { $0.shape?.count == 3 && $0.ends(with: numberCount) }),
            let scores = signature.position(where: { $0.shape?.count == 3 && $0.ends(with: 1) }),
            let count = signature.outputs[numbers].shape?[1], signature.outputs[scores].shape?[1] == count
        else { return nil }
        let fitting = decoder.grids.first { grids in
            grids.allSatisfy { size.width.isMultiple(of: $0.stride) }
                && count == grids.reduce(0) { $0 + (size.width / $1.stride) * (size.width / $1.stride) * $1.count }
        }
        guard let fitting else { return nil }
        (self.numbers, self.scores) = (numbers, scores)
        anchors = fitting.flatMap { stride, count in
            let cells = size.width / stride
            return (0..<cells * cells).flatMap { cell in
                let middle = SIMD2(Float(cell % cells) + 0.5, Float(cell / cells) + 0.5) / Float(cells)
                return [SIMD2<Float>](repeating: middle, count: count)
            }
        }
    }
}

extension MediaPipeDecoder {
    package static var customaryConfidence: Float? { 0.5 }
    package static var customaryWeightedOverlap: Float? { 0.3 }
    package static var customaryLabels: Labels? { Labels([label]) }

    fileprivate static var numberCount: Int { 4 + 2 * pointCount }

    package static var summary: String {
        "boxes of \(label)s with \(pointCount) points [1, anchors, \(numberCount)], and logits [1, anchors, 1]"
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { MediaPipeReading(signature, self) != nil }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool { recognizes(signature) }

    package static func classCount(of signature: DetectorSignature) -> Int? { recognizes(signature) ? 1 : nil }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing {
        let scale = (1 - black) / 255
        var steps = Preprocessing.letterboxed(to: size, as: .mediapipe, color: .black, scale: scale)
        (steps.mean, steps.standardDeviation) = ([0 - black], [1])
        return steps
    }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let reading = MediaPipeReading(signature, Self.self) else {
            let boxes = "boxes with \(Self.pointCount) points [1, anchors, \(Self.numberCount)]"
            throw Self.refusal(of: signature, "\(boxes) and logits [1, anchors, 1]")
        }
        self.init(reading)
    }

    package func candidates(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [ObjectCandidate] {
        guard outputs.indices.contains(max(reading.numbers, reading.scores)) else {
            throw Self.mismatch("there are \(outputs.count) outputs")
        }
        let anchors = reading.anchors
        let numbers = try outputs[reading.numbers].finiteElements()
        let scores = try outputs[reading.scores].finiteElements()
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
