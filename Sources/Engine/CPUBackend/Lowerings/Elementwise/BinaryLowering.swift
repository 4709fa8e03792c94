import CPUKernels
import Graphs
import Planning

/// Add, Sub, Mul, Div, Pow, PRelu, and Sum, Max, Min of any number of values, with broadcasting.
struct BinaryLowering: Lowering {
    let name = "elementwise-binary"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let kind: apus_binary_kind
        switch request.operation {
        case is Add: kind = APUS_BINARY_ADD
        case is Sub: kind = APUS_BINARY_SUB
        case is Mul: kind = APUS_BINARY_MUL
        case is Div: kind = APUS_BINARY_DIV
        case is Sum: kind = APUS_BINARY_ADD
        case is Max: kind = APUS_BINARY_MAX
        case is Min: kind = APUS_BINARY_MIN
        case is PRelu: kind = APUS_BINARY_PRELU
        case is Pow: kind = APUS_BINARY_POW
        default: return .otherOperator
        }
        if let refusal = request.refusalOfAlignment { return .decline(refusal) }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard request.inputs.count >= 2 else { return .decline("one input alone") }
        let layout = request.prevailingLayout
        let output = request.outputs[0]
        let strides = layout.strides(output.shape)
        guard StridedLoop(shape: output.shape, a: strides, b: strides, output: strides) != nil,
            output.rank <= StridedLoop.maximumRank
        else { return .decline("more than 8 axes") }
        let activation = apus_activation((request.operation as? any ActivationFusing)?.activation)
        let layouts = request.inputs.map { $0?.shape == output.shape ? layout : nil }
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(request.cost, multiplyAddsPerMicrosecond: 1, threads: 1),
                inputLayouts: layouts, outputLayouts: [layout],
                bfloat16Operands: request.inputs.count == 2 ? .init(read: [0, 1], isWritten: true) : nil,
                elementwise: joinedFunctions(kind, activation, layout, request)
            ) { operands in
                let output = operands.outputs[0]
                var inputs = try operands.allInputs().compactMap { $0 }
                if let function = request.operation as? PRelu {
                    let shape = function.slopeShape(inputs[1].shape, output.shape)
                    inputs[1].strides += [Int](repeating: 0, count: shape.count - inputs[1].shape.count)
                    inputs[1].shape = shape
                }
                let first = try ElementwisePass(inputs[0], inputs[1], output)
                let rest = try inputs.dropFirst(2).map { try ElementwisePass(output, $0, output) }
                return BinaryStep(kind: kind, passes: [first] + rest, activation: activation)
            })
    }

    /// The function of an input with all elements and of one that begins again at equal distances; nil where there are
    /// no such inputs.
    private func joinedFunctions(
        _ kind: apus_binary_kind, _ activation: apus_activation, _ layout: Layout, _ request: LoweringRequest
    ) -> JoinedFunctions? {
        guard request.inputs.count == 2, !(request.operation is PRelu) else { return nil }
        let source = request.inputs[0]?.shape == request.outputs[0].shape ? 0 : 1
        guard request.inputs[source]?.shape == request.outputs[0].shape,
            request.period(ofInput: source, layout) != nil, let period = request.period(ofInput: 1 - source, layout)
        else { return nil }
        return JoinedFunctions(
            .binary(kind, activation, operand: 1 - source, period: period, isOperandFirst: source == 1),
            source: source, request)
    }
}

/// One walk over two operands and a result.
struct ElementwisePass: Sendable {
    let a: Operand
    let b: Operand?
    let output: Operand
    let loop: StridedLoop

    /// - Parameter elementsPerPosition: The number of elements on which the work at each position depends.
    /// - Throws: ``PlanningError/missingOperand(_:)`` when the operands have more axes than the kernels take.
    init(_ a: Operand, _ b: Operand?, _ output: Operand, elementsPerPosition: Int = 1) throws {
        self.a = a
        self.b = b
        self.output = output
        let loop = StridedLoop(
            shape: output.shape, a: broadcastStrides(a, to: output.shape),
            b: b.map { broadcastStrides($0, to: output.shape) }, output: output.strides,
            elementsPerPosition: elementsPerPosition)
        guard let loop else { throw PlanningError.missingOperand(0) }
        self.loop = loop
    }
}

private struct BinaryStep: Step {
    private struct Arguments: BitwiseCopyable {
        let a: UnsafeRawPointer
        let b: UnsafeRawPointer
        let output: UnsafeMutableRawPointer
        let isBFloat16: (a: Int32, b: Int32, output: Int32)
        var loop: StridedLoop
        let kind: apus_binary_kind
        let activation: apus_activation
    }

    let kind: apus_binary_kind
    let passes: [ElementwisePass]
    let activation: apus_activation

    func run(_ context: StepContext) {
        for index in passes.indices {
            let pass = passes[index]
            let b = pass.b ?? pass.a
            let arguments = Arguments(
                a: context.memory.address(pass.a), b: context.memory.address(b),
                output: context.memory.mutableAddress(pass.output),
                isBFloat16: (pass.a.bfloat16Flag, b.bfloat16Flag, pass.output.bfloat16Flag), loop: pass.loop,
                kind: kind, activation: index == passes.count - 1 ? activation : apus_activation(nil))
            context.workers.run(pass.loop.pieceCount, arguments) { context, index, _ in
                var it = context.load(as: Arguments.self)
                let rows = it.loop.rows(index)
                let (a, b, output) = it.isBFloat16
                guard a | b | output != 0 else {
                    apus_binary_rows(
                        it.kind, &it.loop.loop, it.a.assumingMemoryBound(to: Float.self),
                        it.b.assumingMemoryBound(to: Float.self), it.output.assumingMemoryBound(to: Float.self),
                        it.activation, rows.lowerBound, rows.upperBound)
                    return
                }
                apus_binary_rows_of_bfloat16(
                    it.kind, &it.loop.loop, it.a, a, it.b, b, it.output, output, it.activation, rows.lowerBound,
                    rows.upperBound)
            }
        }
    }
}
