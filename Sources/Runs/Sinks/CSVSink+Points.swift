import Platform
import Vision

extension CSVSink {
    /// The columns of poses, of which each point has a row.
    static let poseColumns = [
        "id", "error", "pose", "index", "label", "pose_confidence", "point", "name", "x", "y", "z", "confidence",
    ]

    /// The columns of landmarks, of which each point has a row.
    static let landmarkColumns = ["id", "error", "confidence", "point", "name", "x", "y", "z", "point_confidence"]

    /// The rows of a record with poses; one with empty cells where there are none.
    static func poseRows(of record: PredictionRecord) -> [[String]] {
        let id = cell(record.id)
        switch record.poses {
        case .success(let estimation):
            let rows = estimation.poses.enumerated().flatMap { position, pose in
                let beginning = [
                    id, "", String(position), pose.label.map { String($0.index) } ?? "",
                    cell(pose.label?.label ?? ""), pose.confidence.description,
                ]
                return pointCells(pose.keypoints).map { beginning + $0 }
            }
            return rows.isEmpty ? [[id, ""] + empty(poseColumns.count - 2)] : rows
        case .failure(let error): return [[id, cell(error)] + empty(poseColumns.count - 2)]
        }
    }

    /// The rows of a record with landmarks; one with empty cells where there are none.
    static func landmarkRows(of record: PredictionRecord) -> [[String]] {
        let id = cell(record.id)
        switch record.landmarks {
        case .success(let landmarks):
            let confidence = landmarks.confidence?.description ?? ""
            let rows = pointCells(landmarks.points).map { [id, "", confidence] + $0 }
            return rows.isEmpty ? [[id, "", confidence] + empty(landmarkColumns.count - 3)] : rows
        case .failure(let error): return [[id, cell(error)] + empty(landmarkColumns.count - 2)]
        }
    }

    /// The position, name, place and confidence of each point.
    private static func pointCells(_ points: [Keypoint]) -> [[String]] {
        points.enumerated().map { position, point in
            [
                String(position), cell(point.name ?? ""), point.x.description, point.y.description,
                point.z?.description ?? "", point.confidence?.description ?? "",
            ]
        }
    }

    private static func cell(_ error: RecordError) -> String { cell("\(error.stage)/\(error.code): \(error.message)") }

    private static func empty(_ count: Int) -> [String] { [String](repeating: "", count: count) }
}
