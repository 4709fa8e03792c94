import CPUKernels
import Graphs
import Planning
import Tensors

/// Where, with broadcasting: a copy of the elements for false, then those for true over it.
struct WhereLowering: Lowering {
    let name = "where"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is Where else { return .otherOperator }
        if let refusal = request.refusalOfLoop { return .decline(refusal) }
        let layout = request.prevailingLayout
        guard [1, 2, 4, 8].contains(request.outputs[0].elementType.byteCount) else {
            return .decline("elements are \(request.outputs[0].elementType)")
        }
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1_000, threads: 1),
                inputLayouts: request.layoutsOfLoop(layout), outputLayouts: [layout]
            ) { operands in
                let output = operands.outputs[0]
                return WhereStep(
                    copy: CopyStep(pass: try ElementwisePass(try operands.input(2), nil, output)),
                    selection: try ElementwisePass(try operands.input(1), try operands.input(0), output))
            })
    }
}

private struct WhereStep: Step {
    private struct Arguments: BitwiseCopyable {
        let a: UnsafeRawPointer
        let condition: UnsafePointer<UInt8>
        let output: UnsafeMutableRawPointer
        let elementByteCount: Int
        var loop: StridedLoop
    }

    let copy: CopyStep
    /// The elements for true, and the condition.
    let selection: ElementwisePass

    func run(_ context: StepContext) {
        copy.run(context)
        let arguments = Arguments(
            a: context.memory.address(selection.a),
            condition: context.memory.address(selection.b ?? selection.a).assumingMemoryBound(to: UInt8.self),
            output: context.memory.mutableAddress(selection.output),
            elementByteCount: selection.a.elementType.byteCount, loop: selection.loop)
        context.workers.run(selection.loop.pieceCount, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let rows = it.loop.rows(index)
            apus_select_rows(
                &it.loop.loop, it.elementByteCount, it.a, it.condition, it.output, rows.lowerBound, rows.upperBound)
        }
    }
}
