/// The names of points, and the pairs of them between which lines are drawn.
package struct PointSchema: Sendable, Equatable {
    package var names: [String] = []
    package var skeleton: [[Int]] = []

    /// The name of the point at a position.
    func name(at position: Int) -> String? { names.indices.contains(position) ? names[position] : nil }

    /// The points of COCO's people where there are as many; else points without names.
    static func ofPeople(_ count: Int?) -> PointSchema { count == coco.names.count ? coco : PointSchema() }

    /// The 17 points of people in COCO.
    ///
    /// Source: the category `person` of https://cocodataset.org/#format-data
    static let coco = PointSchema(
        names: [
            "nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow",
            "right_elbow", "left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee",
            "left_ankle", "right_ankle",
        ],
        skeleton: [
            [15, 13], [13, 11], [16, 14], [14, 12], [11, 12], [5, 11], [6, 12], [5, 6], [5, 7], [6, 8], [7, 9],
            [8, 10], [1, 2], [0, 1], [0, 2], [1, 3], [2, 4], [3, 5], [4, 6],
        ])

    /// The 33 points of people in MediaPipe.
    ///
    /// Source: `PoseLandmark` and `POSE_CONNECTIONS` of https://github.com/google-ai-edge/mediapipe
    static let mediapipePose = PointSchema(
        names: [
            "nose", "left_eye_inner", "left_eye", "left_eye_outer", "right_eye_inner", "right_eye", "right_eye_outer",
            "left_ear", "right_ear", "mouth_left", "mouth_right", "left_shoulder", "right_shoulder", "left_elbow",
            "right_elbow", "left_wrist", "right_wrist", "left_pinky", "right_pinky", "left_index", "right_index",
            "left_thumb", "right_thumb", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle",
            "right_ankle", "left_heel", "right_heel", "left_foot_index", "right_foot_index",
        ],
        skeleton: [
            [0, 1], [1, 2], [2, 3], [3, 7], [0, 4], [4, 5], [5, 6], [6, 8], [9, 10], [11, 12], [11, 13], [13, 15],
            [15, 17], [15, 19], [15, 21], [17, 19], [12, 14], [14, 16], [16, 18], [16, 20], [16, 22], [18, 20],
            [11, 23], [12, 24], [23, 24], [23, 25], [24, 26], [25, 27], [26, 28], [27, 29], [28, 30], [29, 31],
            [30, 32], [27, 31], [28, 32],
        ])

    /// The 21 points of a hand in MediaPipe.
    ///
    /// Source: `HandLandmark` and `HAND_CONNECTIONS` of https://github.com/google-ai-edge/mediapipe
    static let hand = PointSchema(
        names: ["wrist", "thumb_cmc", "thumb_mcp", "thumb_ip", "thumb_tip"]
            + ["index_finger", "middle_finger", "ring_finger", "pinky"].flatMap { finger in
                ["mcp", "pip", "dip", "tip"].map { "\(finger)_\($0)" }
            },
        skeleton: [
            [0, 1], [1, 2], [2, 3], [3, 4], [0, 5], [5, 6], [6, 7], [7, 8], [5, 9], [9, 10], [10, 11], [11, 12],
            [9, 13], [13, 14], [14, 15], [15, 16], [13, 17], [0, 17], [17, 18], [18, 19], [19, 20],
        ])

    /// The 71 points around an eye and its brow, and 5 of the iris: its center and its edges.
    ///
    /// Source: `iris_landmark.tflite` of https://github.com/google-ai-edge/mediapipe
    static let iris = PointSchema(
        names: (0..<71).map { "eye_\($0)" } + (0..<5).map { "iris_\($0)" },
        skeleton: (0..<8).map { [$0, $0 + 1] } + (9..<15).map { [$0, $0 + 1] } + [[0, 9], [8, 15]])
}
