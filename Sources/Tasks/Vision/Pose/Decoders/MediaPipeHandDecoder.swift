import Images
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// The decoder for MediaPipe's points of a hand: 21 points of three numbers in pixels of the input, whether there is a
/// hand, and whether it is the right one.
///
/// Shapes of `hand_landmark_full.tflite`: `[1, 63]`, `[1, 1]`, `[1, 1]`, `[1, 63]`; the last, in meters, is not read.
/// Source: `hand_landmark_cpu.pbtxt` of https://github.com/google-ai-edge/mediapipe
package struct MediaPipeHandDecoder: PointDecoder {
    package static let name = PointDecoderName.mediapipeHand
    package static let summary = "[1, 63], [1, 1] and [1, 1]: 21 points of a hand"
    package static let customaryConfidence: Float = 0.5
    package let schema = PointSchema.hand

    private static let pointCount = 21
    /// What depths in the training data were scaled by, beside other coordinates.
    private static let depthScale: Float = 0.4
    private let points: Int
    private let presence: Int
    private let rightness: Int?

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool {
        signature.outputs.count == 4 && positions(signature)?.rightness != nil
            && signature.outputs.indices.count { signature.count($0) == pointCount * 3 } == 2
    }

    private static func positions(_ signature: DetectorSignature) -> (points: Int, presence: Int, rightness: Int?)? {
        guard let points = signature.position(ofCount: pointCount * 3),
            let presence = signature.position(ofCount: 1)
        else { return nil }
        return (points, presence, signature.position(ofCount: 1, besides: presence))
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? { .fractionsFit(to: size) }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let found = Self.positions(signature) else {
            throw signature.refusal(decoder: Self.name.rawValue, "outputs of 63 numbers and of one")
        }
        (points, presence, rightness) = found
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        let presence = try Self.confidence(outputs, presence)
        guard presence >= confidence else { return [] }
        let numbers = try Self.numbers(outputs, points, Self.pointCount * 3)
        let found = PointGroup.points(numbers, extent: 3, in: inputSize).map { point in
            var point = point
            point.z = point.z.map { $0 / Self.depthScale }
            return point
        }
        var label: ClassificationObservation?
        if let rightness {
            let right = try Self.confidence(outputs, rightness)
            label = ClassificationObservation(
                index: right >= 0.5 ? 1 : 0, label: right >= 0.5 ? "Right" : "Left", confidence: max(right, 1 - right))
        }
        return [PointGroup(found, confidence: presence, label: label)]
    }
}
