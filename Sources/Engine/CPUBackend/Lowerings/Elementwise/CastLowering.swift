import CPUKernels
import Graphs
import Planning
import Tensors

/// Cast among float32, 32- and 64-bit integers, bytes and Booleans.
struct CastLowering: Lowering {
    let name = "cast"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is Cast else { return .otherOperator }
        if let refusal = request.refusalOfLoop { return .decline(refusal) }
        let output = request.outputs[0]
        guard let input = request.inputs[0], let from = apus_element_kind(input.elementType),
            let to = apus_element_kind(output.elementType)
        else { return .decline("elements of these types have no kernel") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1_000, threads: 1),
                inputLayouts: [layout], outputLayouts: [layout]
            ) { operands in
                CastStep(
                    from: from, to: output.elementType == .bool ? nil : to,
                    pass: try ElementwisePass(try operands.input(0), nil, operands.outputs[0]))
            })
    }
}

private struct CastStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafeRawPointer
        let output: UnsafeMutableRawPointer
        var loop: StridedLoop
        let from: apus_element_kind
        let to: apus_element_kind?
    }

    let from: apus_element_kind
    /// The type of the result; nil for Booleans.
    let to: apus_element_kind?
    let pass: ElementwisePass

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.memory.address(pass.a), output: context.memory.mutableAddress(pass.output), loop: pass.loop,
            from: from, to: to)
        context.workers.run(pass.loop.pieceCount, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let rows = it.loop.rows(index)
            if let to = it.to {
                apus_convert_rows(
                    it.from, to, &it.loop.loop, it.input, it.output, rows.lowerBound, rows.upperBound)
            } else {
                apus_truth_rows(
                    it.from, &it.loop.loop, it.input, it.output.assumingMemoryBound(to: UInt8.self), rows.lowerBound,
                    rows.upperBound)
            }
        }
    }
}
