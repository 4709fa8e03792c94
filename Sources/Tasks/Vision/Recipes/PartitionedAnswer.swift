import Images
import Predicting

/// The answer of a recipe's first stage: it has parts, at which the other stages look.
protocol PartitionedAnswer: TaskAnswer {
    /// The parts, and the picture in which they lie.
    func subjects(in picture: Image) -> (image: Image, subjects: [Region.Subject])

    /// The answer of the recipe.
    ///
    /// - Parameter answers: Those of the other stages to each part, in the order of the parts and of the stages.
    func joined(_ answers: [[PicturePart.StageAnswer]], of recipe: Recipe) -> ImageAnswer
}

extension ObjectDetection: PartitionedAnswer {
    func subjects(in picture: Image) -> (image: Image, subjects: [Region.Subject]) {
        (picture, objects.map { Region.Subject($0, in: picture.size) })
    }

    func joined(_ answers: [[PicturePart.StageAnswer]], of recipe: Recipe) -> ImageAnswer {
        let parts = zip(objects, answers).map { PicturePart(object: $0, answers: $1) }
        return ImageAnswer(PictureParts(parts, imageSize: imageSize))
    }
}

extension PoseEstimation: PartitionedAnswer {
    func subjects(in picture: Image) -> (image: Image, subjects: [Region.Subject]) {
        (picture, poses.map { Region.Subject($0.keypoints, in: picture.size, box: $0.box) })
    }

    func joined(_ answers: [[PicturePart.StageAnswer]], of recipe: Recipe) -> ImageAnswer {
        let parts = zip(poses, answers).map { PicturePart(object: RecognizedObject($0), answers: $1) }
        return ImageAnswer(PictureParts(parts, imageSize: imageSize))
    }
}

extension RecognizedObject {
    /// A person or a hand, with its points.
    fileprivate init(_ pose: Pose) {
        let places = pose.keypoints.map { SIMD2($0.x, $0.y) }
        let label = pose.label ?? ClassificationObservation(index: 0, label: nil, confidence: pose.confidence)
        self.init(
            confidence: pose.confidence, box: pose.box ?? NormalizedBox(around: places), labels: [label])
        points = places
    }
}

extension RecognizedText: PartitionedAnswer {
    /// The lines, in the page that the picture shows.
    func subjects(in picture: Image) -> (image: Image, subjects: [Region.Subject]) {
        let page = try? TextPage(of: picture.size)
        let image = (try? page?.image(of: picture)) ?? picture
        return (image, lines.map { Region.Subject(corners: $0.place) })
    }

    func joined(_ answers: [[PicturePart.StageAnswer]], of recipe: Recipe) -> ImageAnswer {
        let stages = recipe.stages.dropFirst().filter { $0.region?.shape != .picture }
        let read = zip(lines, answers).compactMap { $0.read($1, by: stages) }
        return ImageAnswer(RecognizedText(read, imageSize: imageSize))
    }
}

extension RecognizedTextLine {
    /// The line with its text and direction; nil when the confidence in the text is too small.
    fileprivate func read(
        _ answers: [PicturePart.StageAnswer], by stages: [Recipe.Stage]
    ) -> RecognizedTextLine? {
        var direction: TextDirection?
        var read: RecognizedTextLine?
        for (stage, answer) in zip(stages, answers.map(\.answer)) {
            if let classes = answer.classes {
                direction = TextDirection(degrees: stage.turn(for: classes), confidence: classes.confidence)
            } else if let text = answer.text {
                read = text.lines.first
                if let least = stage.minimumConfidence, let read, read.confidence < least { return nil }
            }
        }
        return RecognizedTextLine(
            text: read?.text, confidence: read?.confidence ?? confidence, box: box, place: place, direction: direction)
    }
}

extension NormalizedBox {
    /// The corners in pixels.
    fileprivate func upright(in size: ImageSize) -> Quadrilateral {
        let box = pixels(in: size)
        let (left, top) = (Double(box.x), Double(box.y))
        let (right, bottom) = (left + Double(box.width), top + Double(box.height))
        return Quadrilateral(
            topLeft: PixelPoint(x: left, y: top), topRight: PixelPoint(x: right, y: top),
            bottomRight: PixelPoint(x: right, y: bottom), bottomLeft: PixelPoint(x: left, y: bottom))
    }
}

extension Region.Subject {
    /// What has these points.
    ///
    /// - Parameter box: The box around it; nil for the one around the points.
    init(_ points: [Keypoint], in size: ImageSize, box: NormalizedBox? = nil) {
        let box = box ?? NormalizedBox(around: points.map { SIMD2($0.x, $0.y) })
        self.init(
            corners: box.upright(in: size),
            points: points.map {
                PixelPoint(x: Double($0.x) * Double(size.width), y: Double($0.y) * Double(size.height))
            })
    }

    fileprivate init(_ object: RecognizedObject, in size: ImageSize) {
        func pixel(_ point: SIMD2<Float>) -> PixelPoint {
            PixelPoint(x: Double(point.x) * Double(size.width), y: Double(point.y) * Double(size.height))
        }
        self.init(
            corners: Quadrilateral(object.corners.map(pixel)) ?? object.box.upright(in: size),
            points: object.points.map(pixel), whole: object.wholeBox.map { $0.upright(in: size) })
    }
}
