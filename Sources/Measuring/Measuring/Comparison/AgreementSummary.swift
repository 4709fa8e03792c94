extension Comparison.AgreementSummary {
    /// - Parameters:
    ///   - layers: The layers in order, with the indices of the layers that they read and the agreement of their
    ///     outputs.
    package init(
        _ layers: [(name: String, sources: [Int], agreement: Agreement?)], tolerance: Double, top1Changes: [String]?,
        top5Changes: [String]?
    ) {
        // A layer whose value cannot be compared counts as exceeding when a layer that it reads does.
        var isExceeding: [Bool] = []
        var origins: [String] = []
        var (firstExceeding, worst) = (nil as String?, nil as (name: String, error: Double)?)
        var count = 0
        for layer in layers {
            let isInherited = layer.sources.contains { isExceeding[$0] }
            guard let agreement = layer.agreement else {
                isExceeding.append(isInherited)
                continue
            }
            let exceeds = agreement.exceeds(tolerance)
            isExceeding.append(exceeds)
            if exceeds {
                count += 1
                firstExceeding = firstExceeding ?? layer.name
                if !isInherited { origins.append(layer.name) }
            }
            if agreement.largestRelativeError > worst?.error ?? 0 {
                worst = (layer.name, agreement.largestRelativeError)
            }
        }
        self.init(
            firstExceeding: firstExceeding, origins: origins, exceedingCount: count, worstLayer: worst?.name,
            largestRelativeError: worst?.error ?? 0, top1Changes: top1Changes, top5Changes: top5Changes)
    }
}
