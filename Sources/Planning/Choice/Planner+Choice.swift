import Graphs
import Tensors

/// A lowering that accepts a layer.
struct Contender {
    let backend: any Backend
    let lowering: any Lowering
    let candidate: Candidate
    /// Microseconds by which it is ranked, without copies: expected for one image on one thread.
    let expected: Double
    /// Expected microseconds of copying one image's inputs.
    let copies: Double
    var measured: MeasuredTime?

    /// What measured times are kept under.
    var recordName: String { candidate.recordName(lowering) }

    var expectedTotal: Double { expected + copies }
    var measuredTotal: Double? { measured.map { $0.microseconds + copies } }
}

extension Candidate {
    /// What measured times are kept under: the lowering, and which way of it.
    func recordName(_ lowering: any Lowering) -> String {
        variant.map { "\(lowering.name) \($0)" } ?? lowering.name
    }

    /// How many times as long it is expected to take.
    fileprivate func slowdown(comparedWith other: Candidate) -> Double {
        other.microseconds > 0 ? microseconds / other.microseconds : 1
    }
}

extension [Contender] {
    /// The one that is expected to be fastest; the last resort only where there is no other.
    var favourite: Contender? {
        let kernels = filter { !$0.backend.isLastResort }
        return (kernels.isEmpty ? self : kernels).min { $0.expectedTotal < $1.expectedTotal }
    }

    /// A lowering that was measured to be less than this much faster than the favourite does not replace it: the next
    /// measurement may say otherwise.
    private static var leastGain: Double { 1.03 }

    /// The favourite; when that was measured, the one that was clearly fastest among those measured.
    ///
    /// Expectations and measurements are not compared with one another: they are made on different numbers of threads.
    var chosen: Contender? {
        guard let favourite, let total = favourite.measuredTotal else { return favourite }
        let fastest = self.min { $0.measuredTotal ?? .infinity < $1.measuredTotal ?? .infinity }
        guard let fastest, let least = fastest.measuredTotal, least * Self.leastGain < total else { return favourite }
        return fastest
    }
}

extension Planner {
    struct Choice {
        let contender: Contender
        /// Every lowering that accepts.
        let contenders: [Contender]
        /// Every lowering, in order.
        let considered: [Consideration]
    }

    /// Chooses among all lowerings; on equal times the earlier backend and lowering wins.
    ///
    /// - Parameters:
    ///   - ranking: The request whose expected and measured times decide.
    ///   - space: The memory that the lowering reads and writes.
    ///   - isCopied: Whether an input has to be copied to have a layout.
    func choose(
        _ request: LoweringRequest, ranking: LoweringRequest, in space: MemorySpace,
        isCopied: (_ input: Int, _ layout: Layout) -> Bool
    ) throws(PlanningError) -> Choice {
        func copyMicroseconds(_ candidate: Candidate, _ request: LoweringRequest) -> Double {
            candidate.inputLayouts.enumerated().reduce(0) { sum, input in
                guard let layout = input.element, let type = request.inputs[input.offset],
                    isCopied(input.offset, layout)
                else { return sum }
                return sum + Self.copyMicroseconds(type)
            }
        }
        let signature = records.isEmpty ? nil : ranking.signature
        var contenders: [Contender] = []
        var considered: [Consideration] = []
        for backend in backends {
            let entry = signature.flatMap { signature in
                backend.measurementKey.flatMap { key in
                    backend.device == nil
                        ? records[key, signature]
                        : records.entry(key, signature, images: request.imageCount(comparedWith: ranking))
                }
            }
            for lowering in backend.lowerings {
                switch lowering.lower(request) {
                case .decline(let reason):
                    considered.append(
                        Consideration(
                            backend: backend.name, lowering: lowering.name, variant: nil, microseconds: nil,
                            copyMicroseconds: 0, rankedMicroseconds: nil, measured: nil, reason: reason))
                case .accept(let usual):
                    let ranked: Candidate? =
                        if backend.space == space, case .accept(let ranked) = lowering.lower(ranking) {
                            ranked
                        } else {
                            nil
                        }
                    for candidate in [usual] + usual.alternatives {
                        let name = candidate.recordName(lowering)
                        let refusal = entry?.refusals?[name]
                        let measured = entry?.measured(name)
                        var contender: Contender?
                        if let ranked, refusal == nil {
                            contender = Contender(
                                backend: backend, lowering: lowering, candidate: candidate,
                                expected: ranked.microseconds * candidate.slowdown(comparedWith: usual),
                                copies: copyMicroseconds(ranked, ranking), measured: measured)
                        }
                        if candidate.variant == usual.variant || measured != nil || refusal != nil {
                            considered.append(
                                Consideration(
                                    backend: backend.name, lowering: lowering.name, variant: candidate.variant,
                                    microseconds: refusal == nil ? candidate.microseconds : nil,
                                    copyMicroseconds: copyMicroseconds(candidate, request),
                                    rankedMicroseconds: contender?.expectedTotal, measured: measured,
                                    reason: refusal.map { "refused when it was measured: \($0)" }))
                        }
                        if let contender { contenders.append(contender) }
                    }
                }
            }
        }
        guard let chosen = contenders.chosen else {
            throw .noLowering(
                node: request.node.name, operatorName: request.node.operatorName,
                reasons: considered.map { "\($0.backend) \($0.lowering): \($0.reason ?? "")" })
        }
        return Choice(contender: chosen, contenders: contenders, considered: considered)
    }
}
