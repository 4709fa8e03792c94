/// Counts what is missed and what is wrongly found in each picture.
struct PictureMistakes {
    private let pictures: [COCOGroundTruth.Picture]
    private var counts: [(found: Int, missed: Int, wrong: Int)]

    /// The confidence from which a result that matches nothing counts.
    private static let sureScore = 0.5

    init(_ truth: COCOGroundTruth) {
        pictures = truth.pictures
        counts = Array(repeating: (0, 0, 0), count: truth.pictures.count)
    }

    /// Adds the matches of a class in a picture, of objects of all areas.
    mutating func add(_ matches: COCOMatches, _ picture: Int) {
        let outcomes = matches.outcomes[0]
        let right = outcomes.count { $0 == .right }
        counts[picture].found += right
        counts[picture].missed += matches.wantedCount - right
        counts[picture].wrong += zip(outcomes, matches.scores).count { $0 == .wrong && $1 >= Self.sureScore }
    }

    /// The pictures with the most mistakes.
    func worst(_ maximum: Int) -> [DetectionEvaluation.PictureResult] {
        let mistakes = counts.map { $0.missed + $0.wrong }
        let order = counts.indices.filter { mistakes[$0] > 0 }.sorted {
            mistakes[$0] == mistakes[$1] ? $0 < $1 : mistakes[$0] > mistakes[$1]
        }
        return order.prefix(maximum).map { index in
            DetectionEvaluation.PictureResult(
                picture: pictures[index].id, fileName: pictures[index].fileName, foundCount: counts[index].found,
                missedCount: counts[index].missed, wrongCount: counts[index].wrong)
        }
    }
}
