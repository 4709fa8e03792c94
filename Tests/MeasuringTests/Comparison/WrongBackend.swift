import CPUBackend
import Planning
import Tensors

/// The processor's backend with a kernel that computes one node wrong.
struct WrongBackend: Backend {
    private let base = CPUBackend()
    /// The node whose output is wrong.
    let node: String
    /// The factor of the wrong elements.
    var factor: Float = 1.01

    var name: String { "wrong" }
    var deviceDescription: String { base.deviceDescription }
    var workerCacheByteCount: Int { base.workerCacheByteCount }
    var lowerings: [any Lowering] { base.lowerings.map { WrongLowering(base: $0, node: node, factor: factor) } }
}

private struct WrongLowering: Lowering {
    let base: any Lowering
    let node: String
    let factor: Float

    var name: String { base.name }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.node.name == node, case .accept(let right, _) = base.lower(request),
            case .host(let makeStep, _, _) = right.work
        else { return base.lower(request) }
        return .accept(
            Candidate(
                microseconds: right.microseconds, inputLayouts: right.inputLayouts, outputLayouts: right.outputLayouts,
                readsSlices: right.readsSlices, writesSlices: right.writesSlices, sharing: right.sharing,
                scratchByteCount: right.scratchByteCount, variant: right.variant
            ) { operands in
                WrongStep(base: try makeStep(operands), output: operands.outputs[0], factor: factor)
            })
    }
}

private struct WrongStep: Step {
    let base: any Step
    let output: Operand
    let factor: Float

    func run(_ context: StepContext) throws {
        try base.run(context)
        let right = try output.load(from: context.memory)
        let wrong = right.elements(as: Float.self).map { $0 * factor }
        output.store(try Tensor(wrong, shape: right.shape), to: context.memory)
    }
}
