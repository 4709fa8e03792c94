import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for MediaPipe's mesh of a face: 468 points of three numbers in pixels of the input, and the logit that
/// there is a face.
///
/// Shapes of `face_landmark.tflite`: `[1, 1, 1, 1404]` and `[1, 1, 1, 1]`.
/// Source: `face_landmark_cpu.pbtxt` of https://github.com/google-ai-edge/mediapipe
package struct MediaPipeFaceDecoder: PointDecoder {
    package static let name = PointDecoderName.mediapipeFace
    package static let summary = "1404 numbers and one: 468 points of a face"
    package static let customaryConfidence: Float = 0.5

    private static let pointCount = 468
    private let points: Int
    private let presence: Int

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool {
        signature.outputs.count == 2 && recognizes(signature)
    }

    private static func positions(_ signature: DetectorSignature) -> (points: Int, presence: Int)? {
        guard let points = signature.position(ofCount: pointCount * 3),
            let presence = signature.position(ofCount: 1)
        else { return nil }
        return (points, presence)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? { .fractionsFit(to: size) }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let found = Self.positions(signature) else {
            throw signature.refusal(decoder: Self.name.rawValue, "outputs of 1404 numbers and of one")
        }
        (points, presence) = found
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        let presence = MediaPipePoseDecoder.sigmoid(try Self.numbers(outputs, presence, 1)[0])
        let numbers = try Self.numbers(outputs, points, Self.pointCount * 3)
        let found = presence >= confidence ? PointGroup.points(numbers, extent: 3, in: inputSize) : []
        return [PointGroup(found, confidence: presence)]
    }
}
