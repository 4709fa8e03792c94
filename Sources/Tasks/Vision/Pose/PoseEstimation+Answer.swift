import Images
import Platform
import Predicting
import Preparation
import Tensors

extension PoseEstimation: TaskAnswer {
    package static let kind = "poses"
    package static let forms: AnswerForms = [.cocoResults, .regions, .drawing, .items]

    package var pictureSize: ImageSize? { imageSize }
    package var summary: String { "\(poses.count) poses" }

    package var cocoEntries: [COCOEntry] {
        poses.map {
            COCOEntry(
                classIndex: $0.label?.index ?? 0, className: $0.label?.label, score: $0.confidence, box: $0.box,
                keypoints: $0.keypoints)
        }
    }

    package func jsonMembers(_ row: RowContext) -> String {
        "\(imageSize.jsonMembers)\"poses\":[\(poses.map(\.jsonText).joined(separator: ","))]"
    }

    /// The columns, of which each point has a row.
    package static func columns(_ options: RowOptions, vectorLength: Int) -> [RowColumn] {
        RowColumn.integers("pose", "index") + RowColumn.texts("label") + RowColumn.numbers("pose_confidence")
            + RowColumn.integers("point") + RowColumn.texts("name") + RowColumn.numbers("x", "y", "z", "confidence")
    }

    package func cells(_ row: RowContext) -> [[RowCell]] {
        poses.enumerated().flatMap { position, pose in
            let beginning: [RowCell] = [
                .integer(position), .integer(pose.label?.index), .text(pose.label?.label), .number(pose.confidence),
            ]
            return pose.keypoints.cells.map { beginning + $0 }
        }
    }

    /// A line for each person or hand: its class, confidence, and how many of its points have a confidence of at least
    /// 0.5.
    package func tableLines(_ row: RowContext) -> [TableLine] {
        guard !poses.isEmpty else { return [.nothing("nothing found")] }
        return poses.map { pose in
            let count = pose.keypoints.count { $0.confidence.map { $0 >= 0.5 } ?? true }
            return TableLine(
                label: (pose.label?.identifier ?? "pose").printable,
                text: TableLine.percentage(pose.confidence) + "  \(count) of \(pose.keypoints.count) points")
        }
    }

    package func items(_ options: RowOptions) -> [FoundItem] {
        poses.map {
            FoundItem(noun: "pose", label: $0.label, confidence: $0.confidence, box: $0.box, points: $0.keypoints)
        }
    }

    package func labelStudioRegions(_ options: RowOptions) throws(RegionsWithoutSize) -> [LabelStudioRegion] {
        guard let imageSize else { throw RegionsWithoutSize() }
        return poses.reduce(into: []) { regions, pose in
            regions += LabelStudioRegion.pose(pose, in: imageSize, behind: regions.count)
        }
    }

    package func namedTensors() -> [(name: String, tensor: Tensor)] { [] }

    package func drawing(on image: Image) throws(ImageError) -> Image? { try image.drawing(self) }

    package func placed(by crop: RegionCrop, in size: ImageSize) -> PoseEstimation {
        let poses = poses.map { pose in
            Pose(
                confidence: pose.confidence, box: pose.box.map { $0.placed(by: crop, in: size) }, label: pose.label,
                keypoints: pose.keypoints.map { $0.placed(by: crop, in: size) })
        }
        return PoseEstimation(poses, imageSize: size, skeleton: skeleton)
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

extension ImageAnswer {
    /// The people or hands in the picture, by their points; nil for answers of another kind.
    public var poses: PoseEstimation? { self.as(PoseEstimation.self) }
}

extension ImageAnswer.Content {
    /// The people or hands in the picture, by their points.
    public static let poses = ImageAnswer.Content(PoseEstimation.self)
}

extension PredictionRecord {
    /// The people or hands in the picture, or the reason why there are none.
    public var poses: Result<PoseEstimation, RecordError> { required() }
}

extension Image {
    /// The picture with the points of people or hands and the lines between them. Points below a confidence of 0.3 are
    /// left out.
    ///
    ///     let drawn = try image.drawing(try await estimator.predict(.image(image)))
    public func drawing(_ estimation: PoseEstimation) throws(ImageError) -> Image {
        var canvas = Canvas(self)
        for (position, pose) in estimation.poses.enumerated().reversed() {
            let color = Self.colors[position % Self.colors.count]
            draw(pose.keypoints, estimation.skeleton, color, on: &canvas)
        }
        return try canvas.image()
    }
}
