import CPUKernels
import Graphs
import Planning
import Tensors

/// Comparisons of two values, and And, Or, Xor and Not, with broadcasting.
struct RelationLowering: Lowering {
    let name = "elementwise-relation"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let kind: apus_relation_kind
        switch request.operation {
        case is Equal: kind = APUS_RELATION_EQUAL
        case is Greater: kind = APUS_RELATION_GREATER
        case is GreaterOrEqual: kind = APUS_RELATION_GREATER_OR_EQUAL
        case is Less: kind = APUS_RELATION_LESS
        case is LessOrEqual: kind = APUS_RELATION_LESS_OR_EQUAL
        case is And: kind = APUS_RELATION_AND
        case is Or: kind = APUS_RELATION_OR
        case is Xor: kind = APUS_RELATION_XOR
        case is Not: kind = APUS_RELATION_NOT
        default: return .otherOperator
        }
        if let refusal = request.refusalOfAlignment { return .decline(refusal) }
        if let refusal = request.refusalOfLoop { return .decline(refusal) }
        guard let input = request.inputs[0], let element = apus_element_kind(input.elementType) else {
            return .decline("elements are \(request.inputs[0].map { "\($0.elementType)" } ?? "missing")")
        }
        let layout = request.prevailingLayout
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1_000, threads: 1),
                inputLayouts: request.layoutsOfLoop(layout), outputLayouts: [layout]
            ) { operands in
                let a = try operands.input(0)
                let b = request.inputs.count > 1 ? try operands.input(1) : a
                return RelationStep(kind: kind, element: element, pass: try ElementwisePass(a, b, operands.outputs[0]))
            })
    }
}

private struct RelationStep: Step {
    private struct Arguments: BitwiseCopyable {
        let a: UnsafeRawPointer
        let b: UnsafeRawPointer
        let output: UnsafeMutablePointer<UInt8>
        var loop: StridedLoop
        let kind: apus_relation_kind
        let element: apus_element_kind
    }

    let kind: apus_relation_kind
    let element: apus_element_kind
    let pass: ElementwisePass

    func run(_ context: StepContext) {
        let arguments = Arguments(
            a: context.memory.address(pass.a), b: context.memory.address(pass.b ?? pass.a),
            output: context.memory.mutableAddress(pass.output).assumingMemoryBound(to: UInt8.self), loop: pass.loop,
            kind: kind, element: element)
        context.workers.run(pass.loop.pieceCount, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let rows = it.loop.rows(index)
            apus_relation_rows(
                it.kind, it.element, &it.loop.loop, it.a, it.b, it.output, rows.lowerBound, rows.upperBound)
        }
    }
}
