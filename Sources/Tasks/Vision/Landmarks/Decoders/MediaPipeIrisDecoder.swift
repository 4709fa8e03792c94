import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for MediaPipe's points of an eye: 71 points around the eye and its brow and 5 of the iris, each of three
/// numbers in pixels of the input.
///
/// Shapes of `iris_landmark.tflite`: `output_eyes_contours_and_brows` `[1, 213]` and `output_iris` `[1, 15]`.
/// Source: `iris_landmark_cpu.pbtxt` of https://github.com/google-ai-edge/mediapipe
package struct MediaPipeIrisDecoder: PointDecoder {
    package static let name = PointDecoderName.mediapipeIris
    package static let summary = "213 and 15 numbers: 71 points around an eye and 5 of its iris"
    package let schema = PointSchema.iris

    private let positions: (eye: Int, iris: Int)

    package static func recognizes(_ signature: DetectorSignature) -> Bool { positions(signature) != nil }

    package static func isToldByNames(_ signature: DetectorSignature) -> Bool {
        guard let found = positions(signature) else { return false }
        return signature.outputs[found.eye].isCalled("eye") && signature.outputs[found.iris].isCalled("iris")
    }

    private static func positions(_ signature: DetectorSignature) -> (eye: Int, iris: Int)? {
        guard let eye = signature.position(ofCount: 71 * 3), let iris = signature.position(ofCount: 5 * 3) else {
            return nil
        }
        return (eye, iris)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? { .fractionsFit(to: size) }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let found = Self.positions(signature) else {
            throw signature.refusal(decoder: Self.name.rawValue, "outputs of 213 and of 15 numbers")
        }
        positions = found
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        let numbers =
            try Self.numbers(outputs, positions.eye, 71 * 3) + Self.numbers(outputs, positions.iris, 5 * 3)
        return [PointGroup(PointGroup.points(numbers, extent: 3, in: inputSize), confidence: nil)]
    }
}
