import Images
import Platform
import Vision

extension PoseEstimation: RowAnswer {
    static let content = ImageAnswer.Content.poses

    var pictureSize: ImageSize? { imageSize }
    var summary: String { "\(poses.count) poses" }

    var cocoEntries: [COCOEntry] {
        poses.map {
            COCOEntry(
                classIndex: $0.label?.index ?? 0, className: $0.label?.label, score: $0.confidence, box: $0.box,
                keypoints: $0.keypoints)
        }
    }

    func jsonMembers(_ row: RowContext) -> String {
        "\(imageSize.jsonMembers)\"poses\":[\(poses.map(\.jsonText).joined(separator: ","))]"
    }

    /// The columns, of which each point has a row.
    static func columns(_ options: SinkKind.RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("pose", "index") + RowColumn.texts("label") + RowColumn.numbers("pose_confidence")
            + RowColumn.integers("point") + RowColumn.texts("name") + RowColumn.numbers("x", "y", "z", "confidence")
    }

    func cells(_ row: RowContext) -> [[RowCell]] {
        poses.enumerated().flatMap { position, pose in
            let beginning: [RowCell] = [
                .integer(position), .integer(pose.label?.index), .text(pose.label?.label), .number(pose.confidence),
            ]
            return pose.keypoints.cells.map { beginning + $0 }
        }
    }

    /// A line for each person or hand: its class, confidence, and how many of its points have a confidence of at least
    /// 0.5.
    func tableLines(_ row: RowContext) -> [TableLine] {
        guard !poses.isEmpty else { return [.nothing("nothing found")] }
        return poses.map { pose in
            let count = pose.keypoints.count { $0.confidence.map { $0 >= 0.5 } ?? true }
            return TableLine(
                label: (pose.label?.identifier ?? "pose").printable,
                text: TableLine.percentage(pose.confidence) + "  \(count) of \(pose.keypoints.count) points")
        }
    }
}

extension Pose {
    /// The person or hand as JSON.
    fileprivate var jsonText: String {
        var text = "{\"confidence\":"
        text.appendJSON(confidence)
        if let label {
            text += ",\"index\":\(label.index),\"label\":"
            text.appendJSON(label.label)
        }
        if let box {
            text += ",\"box\":"
            text.appendJSON(box.numbers)
        }
        return text + ",\"keypoints\":\(keypoints.jsonText)}"
    }
}
