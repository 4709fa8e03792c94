/// Precision and recall of one class, for one range of areas and one limit of results, at each threshold.
struct COCOAccumulation: Sendable {
    /// The precision at each of ``COCORules/recalls``, for each threshold.
    let precisions: [[Double]]
    /// The highest recall, for each threshold.
    let recalls: [Double]

    /// Adds up pictures, in the order of their ids; nil when no marked object is to be found in them.
    ///
    /// - Parameter limit: The number of results that count in each picture.
    init?(_ pictures: [COCOMatches], limit: Int) {
        let wanted = pictures.reduce(0) { $0 + $1.wantedCount }
        guard wanted > 0 else { return nil }
        let scores: [Double] = pictures.flatMap { $0.scores.prefix(limit) }
        // Of equal confidences, those of earlier pictures come first.
        let order = scores.indices.sorted { scores[$0] == scores[$1] ? $0 < $1 : scores[$0] > scores[$1] }
        var (precisions, recalls) = ([[Double]](), [Double]())
        for threshold in COCORules.thresholds.indices {
            let outcomes: [COCOMatches.Outcome] = pictures.flatMap { $0.outcomes[threshold].prefix(limit) }
            var (right, wrong) = (0.0, 0.0)
            var (precision, recall) = ([Double](), [Double]())
            for index in order {
                if outcomes[index] == .right { right += 1 }
                if outcomes[index] == .wrong { wrong += 1 }
                recall.append(right / Double(wanted))
                precision.append(right / (wrong + right + 0x1p-52))
            }
            for index in precision.indices.dropFirst().reversed() {
                precision[index - 1] = max(precision[index - 1], precision[index])
            }
            precisions.append(Self.taken(precision, recall))
            recalls.append(recall.last ?? 0)
        }
        (self.precisions, self.recalls) = (precisions, recalls)
    }

    /// The precision at each of the recalls; 0 for those that are not reached.
    private static func taken(_ precision: [Double], _ recall: [Double]) -> [Double] {
        var index = 0
        return COCORules.recalls.map { wanted in
            while index < recall.count, recall[index] < wanted { index += 1 }
            return index < recall.count ? precision[index] : 0
        }
    }
}
