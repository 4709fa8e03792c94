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
        return (answer.base as? any PartitionedAnswer)?.joined(answers, of: self) ?? answer
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
