/// Which results in a picture match marked objects of their class, for one range of areas.
struct COCOMatches: Sendable {
    /// What became of a result at a threshold.
    enum Outcome: Sendable {
        case right, wrong
        /// The result counts neither as right nor as wrong.
        case ignored
    }

    /// The confidences, falling.
    let scores: [Double]
    /// The outcomes of the results, for each threshold.
    let outcomes: [[Outcome]]
    /// The number of marked objects that are to be found.
    let wantedCount: Int

    /// Compares the objects of a picture that belong to a class.
    ///
    /// The results are taken by falling confidence. Each gets the marked object that it overlaps most, of those that no
    /// result before has; the last of equal ones. A crowd may be got by several, and ignored objects only by those that
    /// get no other.
    ///
    /// - Parameters:
    ///   - found: The results, by falling confidence.
    ///   - overlaps: For each result its overlaps with the marked objects.
    ///   - range: The areas of objects that count.
    init(_ marked: [COCOObject], _ found: [COCOObject], _ overlaps: [[Double]], in range: ClosedRange<Double>) {
        let isIgnored = marked.map { $0.isIgnored || !range.contains($0.area) }
        // Those that are ignored come last.
        let order = marked.indices.filter { !isIgnored[$0] } + marked.indices.filter { isIgnored[$0] }
        wantedCount = isIgnored.count { !$0 }
        scores = found.map(\.score)
        outcomes = COCORules.thresholds.map { threshold in
            var isTaken = [Bool](repeating: false, count: marked.count)
            return found.indices.map { result in
                var (best, match) = (min(threshold, 1 - 1e-10), -1)
                for object in order {
                    if isTaken[object], !marked[object].isCrowd { continue }
                    if match >= 0, !isIgnored[match], isIgnored[object] { break }
                    if overlaps[result][object] < best { continue }
                    (best, match) = (overlaps[result][object], object)
                }
                guard match >= 0 else { return range.contains(found[result].area) ? .wrong : .ignored }
                isTaken[match] = true
                return isIgnored[match] ? .ignored : .right
            }
        }
    }
}
