import Graphs
import Tensors

extension Planner {
    struct Choice {
        let contender: Contender
        /// Every lowering that accepts.
        let contenders: [Contender]
        /// Every lowering that runs operators of the node's type, in order.
        let considered: [LoweringExplanation]
    }

    /// Chooses among all lowerings; among equal times the earlier backend and lowering wins.
    ///
    /// - Parameters:
    ///   - ranking: The request whose expected and measured times decide.
    ///   - space: The memory that the lowering reads and writes.
    ///   - isCopied: Whether an input must be copied to get a layout.
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
        var considered: [LoweringExplanation] = []
        let known = lowerings[request.operation]
        var mayRun = known ?? backends.map { Array($0.lowerings.indices) }
        for (backendIndex, backend) in backends.enumerated() {
            let entry = signature.flatMap { signature in
                backend.measurementKey.flatMap { key in
                    backend.device == nil
                        ? records[key, signature]
                        : records.entry(key, signature, images: request.imageCount(comparedWith: ranking))
                }
            }
            let candidates = backend.lowerings
            for index in mayRun[backendIndex] {
                let lowering = candidates[index]
                switch lowering.lower(request) {
                case .otherOperator:
                    mayRun[backendIndex].removeAll { $0 == index }
                case .decline(let reason):
                    considered.append(
                        LoweringExplanation(
                            backend: backend.name, lowering: lowering.name, variant: nil, microseconds: nil,
                            copyMicroseconds: 0, rankedMicroseconds: nil, measured: nil, reason: reason))
                case .accept(let usual, let alternatives):
                    let ranked: Candidate? =
                        if backend.space == space, case .accept(let ranked, _) = lowering.lower(ranking) {
                            ranked
                        } else {
                            nil
                        }
                    for candidate in [usual] + alternatives {
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
                                LoweringExplanation(
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
        if mayRun != known { lowerings[request.operation] = mayRun }
        guard let chosen = contenders.chosen else {
            throw .noLowering(
                node: request.node.name, operatorName: request.node.operatorName,
                reasons: considered.map { "\($0.backend) \($0.lowering): \($0.reason ?? "")" })
        }
        return Choice(contender: chosen, contenders: contenders, considered: considered)
    }
}
