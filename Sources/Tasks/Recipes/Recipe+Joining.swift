import Images
import Preparation

extension Recipe {
    /// The answer to a picture, from that of the first stage and those of the others to its parts.
    ///
    /// - Throws: ``RecordError`` of a part, with the name of its stage.
    func joined(
        _ answer: ImageAnswer, _ subjects: PictureSubjects, _ parts: [[PartAnswers.Answer]]
    ) throws -> ImageAnswer {
        let answers = try parts.map { answers in
            try answers.map { stage, answer in
                switch answer {
                case .success(let answer): (stage: stage, answer: answer)
                case .failure(let error):
                    throw RecordError(
                        stage: error.stage, code: error.code, message: "stage \(stage): \(error.message)")
                }
            }
        }
        switch answer {
        case .text(let text):
            let lines = zip(text.lines, answers).compactMap { line($0, $1) }
            return .text(RecognizedText(lines, imageSize: text.imageSize))
        case .objects(let detection):
            let parts = zip(detection.objects, answers).map { PicturePart(object: $0, answers: $1) }
            return .parts(PictureParts(parts, imageSize: detection.imageSize))
        case .classes, .segments, .instances, .poses, .landmarks, .embedding, .depth, .image, .parts, .outputs:
            return answer
        }
    }

    /// A line with its text and direction; nil when the confidence in the text is too small.
    private func line(
        _ line: RecognizedTextLine, _ answers: [(stage: String, answer: ImageAnswer)]
    ) -> RecognizedTextLine? {
        var direction: TextDirection?
        var read: RecognizedTextLine?
        for (stage, answer) in zip(stages.dropFirst(), answers.map(\.answer)) {
            switch answer {
            case .classes(let classes):
                direction = TextDirection(degrees: stage.turn(for: classes), confidence: classes.confidence)
            case .text(let text):
                read = text.lines.first
                if let least = stage.minimumConfidence, let read, read.confidence < least { return nil }
            default: break
            }
        }
        return RecognizedTextLine(
            text: read?.text, confidence: read?.confidence ?? line.confidence, box: line.box, place: line.place,
            direction: direction)
    }
}

extension Recipe.Stage {
    /// The angle by which a class turns a region, in degrees.
    func turn(for classes: Classification) -> Int {
        let best = classes.best
        guard best.confidence > minimumConfidence ?? 0 else { return 0 }
        return turns[best.identifier] ?? 0
    }
}

extension ImageAnswer {
    /// The answer to a part, with boxes and points in the whole picture.
    ///
    /// - Parameter size: The size of the picture from which the part was cut out.
    func placed(by crop: RegionCrop, in size: ImageSize) -> ImageAnswer {
        switch self {
        case .text(let text):
            let lines = text.lines.map { line in
                RecognizedTextLine(
                    text: line.text, confidence: line.confidence, box: line.box.map(crop.places.applied),
                    direction: line.direction)
            }
            return .text(RecognizedText(lines, imageSize: size))
        case .objects(let detection):
            let objects = detection.objects.map { $0.placed(by: crop, in: size) }
            return .objects(ObjectDetection(objects, imageSize: size))
        case .poses(let estimation):
            let poses = estimation.poses.map { pose in
                Pose(
                    confidence: pose.confidence, box: pose.box.map { $0.placed(by: crop, in: size) },
                    label: pose.label, keypoints: pose.keypoints.map { $0.placed(by: crop, in: size) })
            }
            return .poses(PoseEstimation(poses, imageSize: size, skeleton: estimation.skeleton))
        case .landmarks(let landmarks):
            let points = landmarks.points.map { $0.placed(by: crop, in: size) }
            return .landmarks(
                LandmarkDetection(
                    points, confidence: landmarks.confidence, imageSize: size, skeleton: landmarks.skeleton))
        // These have no places, or belong to whole pictures: no stage gives them for a part.
        case .classes, .embedding, .outputs, .segments, .instances, .depth, .image, .parts: return self
        }
    }
}

extension RecognizedObject {
    /// The object in the whole picture.
    fileprivate func placed(by crop: RegionCrop, in size: ImageSize) -> RecognizedObject {
        var object = RecognizedObject(
            confidence: confidence, box: box.placed(by: crop, in: size), labels: labels, trackID: trackID)
        object.points = points.map { crop.place($0, in: size) }
        object.corners = corners.map { crop.place($0, in: size) }
        return object
    }
}

extension NormalizedBox {
    /// The box in the whole picture: it goes around the corners that it has in the part.
    fileprivate func placed(by crop: RegionCrop, in size: ImageSize) -> NormalizedBox {
        let corners = [SIMD2(x, y), SIMD2(maxX, y), SIMD2(maxX, maxY), SIMD2(x, maxY)].map { crop.place($0, in: size) }
        let (left, top) = (corners.map(\.x).min() ?? x, corners.map(\.y).min() ?? y)
        let (right, bottom) = (corners.map(\.x).max() ?? maxX, corners.map(\.y).max() ?? maxY)
        return NormalizedBox(x: left, y: top, width: right - left, height: bottom - top)
    }
}

extension Keypoint {
    /// The point in the whole picture. Depths keep their scale: they are fractions of the picture's width.
    fileprivate func placed(by crop: RegionCrop, in size: ImageSize) -> Keypoint {
        let place = crop.place(SIMD2(x, y), in: size)
        let middle = crop.place(SIMD2(0.5, 0.5), in: size)
        let edge = crop.place(SIMD2(1, 0.5), in: size) - middle
        let width = (edge * SIMD2(Float(size.width), Float(size.height)) * 2)
        // The part's width in the picture, as a fraction of the picture's.
        let scale = (width.x * width.x + width.y * width.y).squareRoot() / Float(size.width)
        return Keypoint(name: name, x: place.x, y: place.y, z: z.map { $0 * scale }, confidence: confidence)
    }
}

extension RegionCrop {
    /// A point in fractions of the part, in fractions of the picture.
    func place(_ point: SIMD2<Float>, in size: ImageSize) -> SIMD2<Float> {
        let inside = PixelPoint(
            x: Double(point.x) * Double(image.width), y: Double(point.y) * Double(image.height))
        let place = places.applied(to: inside)
        return SIMD2(Float(place.x / Double(size.width)), Float(place.y / Double(size.height)))
    }
}
