import CPUKernels
import Graphs
import Planning
import Tensors

/// The sum or difference of two dense values of 8-bit integers, or of one such value and a constant scalar.
struct IntegerAddLowering: Lowering {
    let name = "integer-add"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? IntegerAdd else { return .otherOperator }
        guard request.inputs.count == 2, let a = request.inputs[0], let b = request.inputs[1],
            let output = request.outputs.first
        else { return .decline("an operand is missing") }
        let hasOneNumber = b.elementCount == 1
        guard a.shape == output.shape, hasOneNumber || a.shape == b.shape else { return .decline("operands broadcast") }
        guard request.constants[0] == nil, hasOneNumber || request.constants[1] == nil else {
            return .decline("an operand is part of the network")
        }
        guard [.int8, .uint8].contains(a.elementType), b.elementType == a.elementType,
            output.elementType == a.elementType
        else { return .decline("elements are \(a.elementType), \(b.elementType) and \(output.elementType)") }
        guard a.elementCount > 0 else { return .decline("a value is empty") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        let pieces = ElementPieces(a.elementCount, threadCount: request.threadCount)
        let kernel = IntegerKernel(instructionSet, multipliesBytes: true)
        return .accept(
            Candidate(
                microseconds: ElementPieces.expectedMicroseconds(a.elementCount, threadCount: request.threadCount),
                inputLayouts: hasOneNumber ? [layout] : [layout, layout], outputLayouts: [layout],
                readsSlices: false, writesSlices: false
            ) { operands in
                IntegerAddStep(
                    operation: operation, hasOneNumber: hasOneNumber, add: kernel.kernel.add,
                    a: try operands.input(0), b: try operands.input(1), y: operands.outputs[0], pieces: pieces)
            })
    }
}

private struct IntegerAddStep: Step {
    private struct Arguments: BitwiseCopyable {
        /// The parameters of the sum of all elements.
        let sum: apus_integer_sum
        let add: @convention(c) (UnsafePointer<apus_integer_sum>) -> Void
        let pieces: ElementPieces
    }

    let operation: IntegerAdd
    /// Whether `b` is a scalar.
    let hasOneNumber: Bool
    let add: @convention(c) (UnsafePointer<apus_integer_sum>) -> Void
    let a: Operand
    let b: Operand
    let y: Operand
    let pieces: ElementPieces

    func run(_ context: StepContext) {
        let scaling = operation.scaling
        let sum = apus_integer_sum(
            a: context.bytes(a), b: context.bytes(b), y: context.mutableBytes(y), count: pieces.elementCount,
            b_step: hasOneNumber ? 0 : 1, is_signed: a.elementType == .int8 ? 1 : 0,
            is_difference: operation.isDifference ? 1 : 0, a_zero: scaling.a, b_zero: scaling.b, y_zero: scaling.y,
            low: scaling.range.lowerBound, high: scaling.range.upperBound, left_shift: operation.leftShift,
            first: operation.first.value, second: operation.second.value, output: operation.output.value,
            first_shift: operation.first.shift, second_shift: operation.second.shift,
            output_shift: operation.output.shift, has_scales: operation.scales == nil ? 0 : 1,
            a_scale: operation.scales?.a ?? 0, b_scale: operation.scales?.b ?? 0)
        let arguments = Arguments(sum: sum, add: add, pieces: pieces)
        context.workers.run(pieces.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.pieces.piece(index)
            guard count > 0 else { return }
            var part = it.sum
            part.a += first
            if part.b_step != 0 { part.b += first }
            part.y += first
            part.count = count
            it.add(&part)
        }
    }
}
