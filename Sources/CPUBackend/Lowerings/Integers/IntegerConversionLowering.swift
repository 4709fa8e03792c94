import CPUKernels
import Graphs
import Planning
import Tensors

/// Cast of a dense value of 32-bit integers to float32.
struct IntegerConversionLowering: Lowering {
    let name = "integer-convert"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard request.operation is Cast else { return .decline("not Cast") }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        guard input.elementType == .int32, output.elementType == .float32 else {
            return .decline("elements are \(input.elementType) and \(output.elementType)")
        }
        guard input.elementCount > 0 else { return .decline("a value is empty") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        let pieces = ElementPieces(input.elementCount, threadCount: request.threadCount)
        return .accept(
            Candidate(
                microseconds: ElementPieces.expectedMicroseconds(
                    input.elementCount, threadCount: request.threadCount),
                inputLayouts: [layout], outputLayouts: [layout], readsSlices: false, writesSlices: false
            ) { operands in
                IntegerConversionStep(input: try operands.input(0), output: operands.outputs[0], pieces: pieces)
            })
    }
}

private struct IntegerConversionStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Int32>
        let output: UnsafeMutablePointer<Float>
        let pieces: ElementPieces
    }

    let input: Operand
    let output: Operand
    let pieces: ElementPieces

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.memory.address(input).assumingMemoryBound(to: Int32.self),
            output: context.mutableFloats(output), pieces: pieces)
        context.workers.run(pieces.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.pieces.piece(index)
            guard count > 0 else { return }
            apus_convert_integers(it.input + first, count, it.output + first)
        }
    }
}
