import Images
import Models
import Platform
import Preparation
import Tensors

/// The decoder for MediaPipe's mesh of a face with attention: 478 points, of which the network finds those of the lips
/// and the eyes a second time, in two numbers each, and 5 of each iris.
///
/// Points of the lips and the eyes keep the depth of the mesh; those of an iris have the mean depth of the eye's edge.
///
/// Shapes of `face_landmark_with_attention.tflite`, in this order: `output_mesh_identity` `[1, 1, 1, 1404]`,
/// `output_lips` `[1, 1, 1, 160]`, `output_left_eye` and `output_right_eye` `[1, 1, 1, 142]`, `output_left_iris` and
/// `output_right_iris` `[1, 1, 1, 10]`, and the logit that there is a face, `conv_faceflag` `[1, 1, 1, 1]`.
/// Source: `tensors_to_face_landmarks_with_attention.pbtxt` of https://github.com/google-ai-edge/mediapipe
package struct MediaPipeAttentionDecoder: PointDecoder {
    package static let name = PointDecoderName.mediapipeAttention
    package static let summary = "1404, 160, 142, 142, 10 and 10 numbers and one: 478 points of a face"
    package static let customaryConfidence: Float = 0.5

    private static let meshCount = 468
    private let positions: Positions

    /// The positions of the outputs.
    private struct Positions {
        let mesh, lips, leftEye, rightEye, leftIris, rightIris, presence: Int

        /// Nil when the outputs are not this family's.
        init?(_ signature: DetectorSignature) {
            func position(_ count: Int, _ name: String, besides other: Int? = nil) -> Int? {
                let fitting = signature.outputs.indices.filter { signature.count($0) == count && $0 != other }
                return fitting.first { signature.outputs[$0].isCalled(name) } ?? fitting.first
            }
            guard let mesh = signature.position(ofCount: meshCount * 3), let presence = signature.position(ofCount: 1),
                let lips = signature.position(ofCount: 2 * PointSchema.lips.count),
                let leftEye = position(2 * PointSchema.leftEye.count, "left_eye"),
                let rightEye = position(2 * PointSchema.rightEye.count, "right_eye", besides: leftEye),
                let leftIris = position(2 * 5, "left_iris"),
                let rightIris = position(2 * 5, "right_iris", besides: leftIris)
            else { return nil }
            (self.mesh, self.lips, self.presence) = (mesh, lips, presence)
            (self.leftEye, self.rightEye, self.leftIris, self.rightIris) = (leftEye, rightEye, leftIris, rightIris)
        }
    }

    package static func recognizes(_ signature: DetectorSignature) -> Bool { Positions(signature) != nil }

    package static func isToldByShapes(_ signature: DetectorSignature) -> Bool {
        signature.outputs.count == 7 && recognizes(signature)
    }

    package static func customaryPreprocessing(to size: ImageSize) -> Preprocessing? { .fractionsFit(to: size) }

    package init(_ signature: DetectorSignature, _ configuration: DetectionConfiguration) throws(ApusError) {
        guard let positions = Positions(signature) else {
            throw signature.refusal(
                decoder: Self.name.rawValue, "outputs of 1404, 160, 142, 142, 10, 10 and 1 numbers")
        }
        self.positions = positions
    }

    package func groups(
        in outputs: [Tensor], inputSize: ImageSize, above confidence: Float
    ) throws(RecordError) -> [PointGroup] {
        let presence = MediaPipePoseDecoder.sigmoid(try Self.numbers(outputs, positions.presence, 1)[0])
        guard presence >= confidence else { return [PointGroup([], confidence: presence)] }
        let mesh = try Self.numbers(outputs, positions.mesh, Self.meshCount * 3)
        var points = PointGroup.points(mesh, extent: 3, in: inputSize)
        func flat(_ position: Int, _ count: Int) throws(RecordError) -> [PointGroup.Point] {
            PointGroup.points(try Self.numbers(outputs, position, 2 * count), extent: 2, in: inputSize)
        }
        for (output, indices) in [
            (positions.lips, PointSchema.lips), (positions.leftEye, PointSchema.leftEye),
            (positions.rightEye, PointSchema.rightEye),
        ] {
            for (index, point) in zip(indices, try flat(output, indices.count)) {
                (points[index].x, points[index].y) = (point.x, point.y)
            }
        }
        for (output, eye) in [
            (positions.leftIris, PointSchema.leftEye), (positions.rightIris, PointSchema.rightEye),
        ] {
            let edge = eye.prefix(PointSchema.eyeEdgeCount).compactMap { points[$0].z }
            let depth = edge.reduce(0, +) / Float(edge.count)
            for var point in try flat(output, 5) {
                point.z = depth
                points.append(point)
            }
        }
        return [PointGroup(points, confidence: presence)]
    }
}
