import Images
import Models
import Platform
import Predicting
import Preparation

extension Recipe {
    /// Faces with their meshes, by the networks of MediaPipe.
    ///
    /// - Parameters:
    ///   - detector: `face_detection_short_range.tflite` or `face_detection_full_range_sparse.tflite`.
    ///   - mesh: `face_landmark.tflite` or `face_landmark_with_attention.tflite`.
    /// - Throws: ``ApusError/usage(_:)`` when the stages do not fit together.
    public static func faces(detector: Model, mesh: Model) throws(ApusError) -> Recipe {
        let region = Region(.box, margin: 0.25, isSquare: true, baseline: [0, 1])
        return try Recipe([
            try Stage("faces", detector, task: .detect),
            try Stage("mesh", mesh, task: .landmarks, region: try mediapipe(region, mesh)),
        ])
    }

    /// Hands with their points, by the networks of MediaPipe.
    ///
    /// - Parameters:
    ///   - detector: `palm_detection_full.tflite` or `palm_detection_lite.tflite`.
    ///   - points: `hand_landmark_full.tflite` or `hand_landmark_lite.tflite`.
    /// - Throws: ``ApusError/usage(_:)`` when the stages do not fit together.
    public static func hands(detector: Model, points: Model) throws(ApusError) -> Recipe {
        let region = Region(.box, margin: 0.8, isSquare: true, verticalLine: [0, 2], shift: [0, -0.5])
        return try Recipe([
            try Stage("palms", detector, task: .detect),
            try Stage("hand", points, task: .pose, region: try mediapipe(region, points)),
        ])
    }

    /// People with the points of their bodies, by the networks of MediaPipe.
    ///
    /// - Parameters:
    ///   - detector: `pose_detection.tflite`.
    ///   - pose: `pose_landmark_lite.tflite`, `pose_landmark_full.tflite` or `pose_landmark_heavy.tflite`.
    /// - Throws: ``ApusError/usage(_:)`` when the stages do not fit together.
    public static func people(detector: Model, pose: Model) throws(ApusError) -> Recipe {
        let region = Region(.circle(center: 0, rim: 1), margin: 0.125, verticalLine: [0, 1])
        return try Recipe([
            try Stage("people", detector, task: .detect),
            try Stage("pose", pose, task: .pose, region: try mediapipe(region, pose)),
        ])
    }

    /// A region whose pixels MediaPipe interpolates linearly, right to the size of a network's pictures.
    private static func mediapipe(_ region: Region, _ model: Model) throws(ApusError) -> Region {
        var region = region
        region.interpolation = .linear
        region.size = try ImageInput(model, preprocessing: nil).size
        return region
    }
}
