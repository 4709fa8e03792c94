extension Comparison {
    /// The conclusions in words: which configuration to use, which layers limit it, and whether its outputs agree.
    public var findings: [Finding] {
        [recommendation, bottlenecks] + (results.contains { $0.agreement != nil } ? [trust] : [])
    }

    private var recommendation: Finding {
        let best = results[fastest]
        let speed = "\(Figure.time(best.seconds)) a run, \(Figure.number(best.imagesPerSecond)) images a second"
        var answer = ["\(best.label): \(speed)."]
        let others = results.indices.filter { $0 != fastest }
        if !others.isEmpty {
            let slower = others.map { index in
                if plannersChoice == nil {
                    return "\(results[index].label): \(Figure.number(results[index].imagesPerSecond)) images a second"
                }
                let ratio = ratio(of: index, to: fastest)
                if ratio.low <= 1.02 { return "\(results[index].label) is as fast within the spread" }
                return "\(results[index].label) takes \(Figure.number(ratio.median)) times as long"
            }
            answer.append(slower.joined(separator: "; ").sentence)
        }
        if let agreement = best.agreement, !agreement.agrees {
            let trusted = results.indices.filter { results[$0].agreement?.agrees ?? false }
                .min { results[$0].seconds < results[$1].seconds }
            let advice = trusted.map { "; \(results[$0].name) is the fastest that does" } ?? ""
            answer.append("It does not agree with the reference\(advice).")
        }
        if isPlannersChoiceAdded, plannersChoice == fastest {
            let names = best.benchmark.configuration.backends.joined(separator: ", ")
            answer.append("It is what the planner makes of \(names) together, layer by layer.")
        } else if let plannersChoice, plannersChoice != fastest {
            let planner = results[plannersChoice]
            answer.append(
                "The planner, free to use all these backends, chooses what \(planner.name) runs: "
                    + "\(Figure.time(planner.seconds)).")
        } else if plannersChoice != nil, results.count > 1 {
            answer.append("It is also what the planner chooses when it may use all these backends.")
        }
        return Finding(
            question: plannersChoice == nil ? "How fast is it?" : "Which backend should I use here?", answer: answer,
            tone: best.agreement?.agrees ?? true ? .good : .bad)
    }

    /// The ratios of a configuration's times to those of another, round by round.
    private func ratio(of index: Int, to other: Int) -> Ratio {
        Ratio(results[index].benchmark.roundMedians, to: results[other].benchmark.roundMedians)
    }

    private var bottlenecks: Finding {
        let best = results[fastest]
        let ranked = layers.compactMap { layer in layer.runs[fastest].map { (layer.name, $0) } }
            .sorted { $0.1.seconds > $1.1.seconds }
        var answer: [String] = []
        if let first = ranked.first, let profile = best.profile, profile.seconds > 0 {
            let total = profile.seconds
            var (count, sum) = (0, 0.0)
            for (_, run) in ranked where sum < total / 2 {
                sum += run.seconds
                count += 1
            }
            let half = count == 1 ? "one layer" : "\(count) of \(ranked.count) layers"
            answer.append("Half of the time of \(best.name) goes to \(half), most to \(first.0).")
            let named = ranked.prefix(3).map { name, run in
                "\(name) takes \(Figure.percent(run.seconds / total)) of the time" + Self.distance(run)
            }
            answer.append(named.joined(separator: "; ").sentence)
            let minimum = ranked.reduce(0) { $0 + $1.1.seconds * min(1, $1.1.peakFraction ?? 0) }
            if profile.limits != nil || profile.deviceLimits != nil {
                answer.append(
                    "At the machine's limits all layers together would take \(Figure.time(minimum)), "
                        + "\(Figure.percent(minimum / total)) of the time of a run.")
            }
            answer.append(rest(of: profile))
        }
        return Finding(
            question: "Which layers hold it back, and how far are they from the machine's limit?", answer: answer,
            tone: .plain)
    }

    private static func distance(_ run: LayerRun) -> String {
        guard let fraction = run.peakFraction, let bound = run.bound else { return "" }
        let limit = bound == .compute ? "arithmetic" : "memory bandwidth"
        return fraction > 1
            ? ", faster than the limit (from caches, or with fewer multiply-adds)"
            : " at \(Figure.percent(fraction)) of the limit of \(limit)"
    }

    private func rest(of profile: Profile) -> String {
        let copies = profile.layers.filter { $0.work != .layer }.reduce(0) { $0 + $1.seconds }
        let parts = [
            ("copies between layers", copies), ("copies of inputs and outputs", profile.rest.copies),
            ("waiting for the device", profile.rest.waiting), ("queueing", profile.rest.queueing),
            ("scheduling", profile.rest.scheduling),
        ].filter { $0.1 > 0.001 * profile.seconds }
        if parts.isEmpty { return "Almost all of the time goes to layers." }
        return "Besides layers: "
            + parts.map { "\($0.0) \(Figure.percent($0.1 / profile.seconds))" }.joined(separator: ", ") + "."
    }

    private var trust: Finding {
        let question = "May I trust the fast one?"
        let judged = results.compactMap { result in result.agreement.map { (result.name, $0) } }
        var answer: [String] = []
        let best = results[fastest]
        if let agreement = best.agreement {
            answer.append(
                agreement.agrees
                    ? "Yes: every layer of \(best.name) is within \(Figure.error(agreement.largestRelativeError)) of float64."
                    : "No: \(best.name) \(Self.failure(agreement))")
        }
        let others = judged.filter { $0.0 != best.name }
        let failing = others.filter { !$0.1.agrees }
        for (name, agreement) in failing { answer.append("\(name) \(Self.failure(agreement))") }
        let agreeing = others.filter(\.1.agrees)
        if let worst = agreeing.map(\.1.largestRelativeError).max() {
            answer.append("\(agreeing.map(\.0).joined(separator: ", ")): within \(Figure.error(worst)).")
        }
        if judged.contains(where: { $0.1.top1Changes != nil }) {
            let changes = judged.filter { !($0.1.top1Changes ?? []).isEmpty || !($0.1.top5Changes ?? []).isEmpty }
            let count = inputs.count == 1 ? "one input" : "\(inputs.count) inputs"
            if changes.isEmpty { answer.append("No first class and no five best classes change on \(count).") }
            for (name, agreement) in changes {
                answer.append(
                    "\(name): another first class on \(agreement.top1Changes?.count ?? 0) of \(count), others among the best "
                        + "five on \(agreement.top5Changes?.count ?? 0).")
            }
        }
        if isSeeded {
            answer.append("The input is random numbers: this says how kernels compute, and nothing about accuracy.")
        }
        return Finding(question: question, answer: answer, tone: best.agreement?.agrees ?? true ? .good : .bad)
    }

    /// A sentence that says where a configuration does not agree.
    package static func failure(_ agreement: AgreementSummary) -> String {
        guard let first = agreement.firstExceeding else { return "gives another first class, within the tolerance." }
        var text = "exceeds the tolerance first at \(first)"
        let later = agreement.origins.filter { $0 != first }
        if !later.isEmpty { text += ", and then at \(later.prefix(3).joined(separator: ", "))" }
        if later.count > 3 { text += " and \(later.count - 3) more" }
        return text + "; the largest relative error is \(Figure.error(agreement.largestRelativeError))."
    }
}

extension Comparison.Ratio {
    /// Makes the ratios of times of the same rounds.
    package init(_ times: [Double], to others: [Double]) {
        let ratios = zip(times, others).map { $1 > 0 ? $0 / $1 : 1 }.sorted()
        median = TimeStatistics.quantile(0.5, of: ratios)
        low = TimeStatistics.quantile(0.1, of: ratios)
        high = TimeStatistics.quantile(0.9, of: ratios)
    }
}

extension String {
    /// The text with a full stop.
    fileprivate var sentence: String { isEmpty ? self : self + "." }
}
