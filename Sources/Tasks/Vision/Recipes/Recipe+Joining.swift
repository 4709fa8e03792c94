import Images
import Predicting
import Preparation

extension Recipe {
    /// The answer to a picture, from that of the first stage and those of the others to its parts.
    ///
    /// - Throws: ``RecordError`` of a part, with the name of its stage.
    func joined(
        _ answer: ImageAnswer, _ parts: [[PartAnswers.Answer]]
    ) throws -> ImageAnswer {
        let answers = try parts.map { answers in
            try answers.map { stage, answer -> PicturePart.StageAnswer in
                switch answer {
                case .success(let answer): return (stage, answer)
                case .failure(let error):
                    throw RecordError(
                        stage: error.stage, code: error.code, message: "stage \(stage): \(error.message)")
                }
            }
        }
        let joined = (answer.base as? any PartitionedAnswer)?.joined(answers, of: self) ?? answer
        return joinsText ? joined.parts.map { ImageAnswer($0.text(by: stages[stages.count - 1])) } ?? joined : joined
    }
}

extension PictureParts {
    /// What a stage read in the objects, in reading order.
    fileprivate func text(by stage: Recipe.Stage) -> RecognizedText {
        let lines = parts.flatMap { part -> [RecognizedTextLine] in
            let read = (part[stage.name]?.text?.lines ?? []).filter { $0.confidence >= stage.minimumConfidence ?? 0 }
            let box = part.object.quadrilateral(in: imageSize)
            return read.map { RecognizedTextLine(text: $0.text, confidence: $0.confidence, box: box) }
        }
        return RecognizedText(ReadingOrder.sorted(lines, \.box), imageSize: imageSize)
    }
}

extension RecognizedObject {
    /// The corners in pixels, those of a turned box where there is one.
    fileprivate func quadrilateral(in size: ImageSize?) -> Quadrilateral {
        let size = size ?? ImageSize(width: 1, height: 1)
        let edges = [SIMD2(box.x, box.y), SIMD2(box.maxX, box.y), SIMD2(box.maxX, box.maxY), SIMD2(box.x, box.maxY)]
        let isTurned = corners.count == 4 && corners.allSatisfy { $0.x.isFinite && $0.y.isFinite }
        let places = (isTurned ? corners : edges).map { corner in
            PixelPoint(x: Double(corner.x) * Double(size.width), y: Double(corner.y) * Double(size.height))
        }
        return Quadrilateral(
            topLeft: places[0], topRight: places[1], bottomRight: places[2], bottomLeft: places[3])
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
