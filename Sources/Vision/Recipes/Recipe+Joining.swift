import Images

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
        default: return answer
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
        default: return self
        }
    }
}

extension RecognizedObject {
    /// The object in the whole picture: its box goes around the corners that it has in the part.
    fileprivate func placed(by crop: RegionCrop, in size: ImageSize) -> RecognizedObject {
        let edges = box.pixels(in: crop.image.size)
        let (left, top) = (Double(edges.x), Double(edges.y))
        let (right, bottom) = (left + Double(edges.width), top + Double(edges.height))
        let corners = Quadrilateral(
            topLeft: PixelPoint(x: left, y: top), topRight: PixelPoint(x: right, y: top),
            bottomRight: PixelPoint(x: right, y: bottom), bottomLeft: PixelPoint(x: left, y: bottom))
        var object = RecognizedObject(
            confidence: confidence, box: corners.map(crop.places.applied).box(in: size), labels: labels,
            trackID: trackID)
        object.points = points.map { crop.place($0, in: size) }
        return object
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
