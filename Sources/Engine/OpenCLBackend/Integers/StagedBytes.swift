import Planning

/// A layer whose bytes go through stages before they are stored, in the layer's own kernel.
struct StagedBytes: ElementwiseStage {
    /// Makes the kernel that reads the layer's first input, which is the only one that is no part of the network.
    typealias MakeCall = @Sendable (_ input: Operand, _ output: Operand, ElementwiseChain?) throws -> KernelCall

    let inputCount: Int
    /// The stages; nil where bytes are stored as they are.
    private let chain: ElementwiseChain?
    private let makeCall: MakeCall

    init(inputCount: Int, _ makeCall: @escaping MakeCall) { self.init(inputCount, nil, makeCall) }

    private init(_ inputCount: Int, _ chain: ElementwiseChain?, _ makeCall: @escaping MakeCall) {
        self.inputCount = inputCount
        self.chain = chain
        self.makeCall = makeCall
    }

    func followed(by next: any ElementwiseStage, at position: Int) -> (any ElementwiseStage)? {
        // Bytes become numbers first, and nothing follows new bytes.
        guard let next = next as? JoinedElementwise, next.chain.operands == [position],
            next.chain.readsIntegers == (chain == nil), !(chain?.writesBytes ?? false)
        else { return nil }
        let joined = ElementwiseChain(
            operands: [0], stages: (chain?.stages ?? []) + next.chain.stages, readsIntegers: true,
            writesBytes: next.chain.writesBytes)
        guard joined.isOneKernel else { return nil }
        return StagedBytes(inputCount + next.inputCount - 1, joined, makeCall)
    }

    func makeStep(_ inputs: [Operand?], _ output: Operand) throws -> ElementwiseStep {
        guard let input = inputs.first ?? nil else { throw PlanningError.missingOperand(0) }
        return .device(KernelStep([try makeCall(input, output, chain)]))
    }
}
