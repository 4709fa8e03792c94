import Predicting
import Preparation

/// The answers of a recipe's stages to the parts of several pictures.
struct PartAnswers {
    /// A part of a picture.
    struct Place: Sendable {
        let picture: Int
        let part: Int
        let pixelCount: Int
    }

    typealias Answer = (stage: String, answer: Result<ImageAnswer, RecordError>)

    /// What was found in each picture; nil for pictures with errors.
    let subjects: [PictureSubjects?]
    private var answers: [[[Answer]]]

    /// The largest number of parts, and of their pixels, that are held at a time. One part may be larger.
    private static let maximumCount = 64
    private static let maximumPixelCount = 16 << 20

    init(_ subjects: [PictureSubjects?]) {
        self.subjects = subjects
        answers = subjects.map { [[Answer]](repeating: [], count: $0?.subjects.count ?? 0) }
    }

    /// The parts of all pictures in batches.
    ///
    /// - Parameters:
    ///   - regions: The regions that are cut out of each part.
    ///   - around: Those around points that a stage finds later. One without a size is counted as the whole picture.
    func batches(_ regions: [Region], around: [Region] = []) -> [[Place]] {
        var batches: [[Place]] = []
        var batch: [Place] = []
        var pixelCount = 0
        for (picture, subjects) in subjects.enumerated() {
            guard let subjects else { continue }
            for part in subjects.subjects.indices {
                let known = regions.map { subjects.pixelCount(part, $0) }
                let later = around.compactMap { ($0.size ?? subjects.size).pixelCount }
                let largest = (known + later).max() ?? 0
                let place = Place(picture: picture, part: part, pixelCount: largest)
                if batch.count == Self.maximumCount || pixelCount + place.pixelCount > Self.maximumPixelCount {
                    if !batch.isEmpty { batches.append(batch) }
                    (batch, pixelCount) = ([], 0)
                }
                batch.append(place)
                pixelCount += place.pixelCount
            }
        }
        return batch.isEmpty ? batches : batches + [batch]
    }

    /// Adds the answer of a stage.
    mutating func add(_ answer: Result<ImageAnswer, RecordError>, of stage: Recipe.Stage, at place: Place) {
        answers[place.picture][place.part].append((stage.name, answer))
    }

    /// The points that a stage found in a part; nil where it found none.
    func points(of stage: String, at place: Place) -> [Keypoint]? {
        guard let found = answers[place.picture][place.part].first(where: { $0.stage == stage }),
            let answer = try? found.answer.get()
        else { return nil }
        let points = answer.landmarks?.points ?? answer.poses?.poses.first?.keypoints ?? []
        return points.isEmpty ? nil : points
    }

    /// The answers to the parts of a picture, in the order of the stages.
    func answers(of picture: Int) -> [[Answer]] { answers[picture] }
}
