import CPUKernels
import Graphs
import Planning
import Tensors

/// Lookup in a table of 8-bit integers that is part of the network, over a dense value.
struct LookupLowering: Lowering {
    let name = "integer-lookup"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is Lookup else { return .otherOperator }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        guard let table = request.constants[1] else { return .decline("the table is computed") }
        guard [.int8, .uint8].contains(input.elementType), [.int8, .uint8].contains(output.elementType) else {
            return .decline("elements are \(input.elementType) and \(output.elementType)")
        }
        guard input.elementCount > 0 else { return .decline("a value is empty") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        let pieces = ElementPieces(input.elementCount, threadCount: request.threadCount)
        return .accept(
            Candidate(
                microseconds: ElementPieces.expectedMicroseconds(
                    input.elementCount, threadCount: request.threadCount),
                inputLayouts: [layout], outputLayouts: [layout], readsSlices: false, writesSlices: false,
                elementwise: JoinedFunctions(.lookUp(table, isSigned: input.elementType == .int8), request)
            ) { operands in
                LookupStep(
                    table: table, input: try operands.input(0), output: operands.outputs[0], pieces: pieces)
            })
    }
}

private struct LookupStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<UInt8>
        let table: UnsafePointer<UInt8>
        let output: UnsafeMutablePointer<UInt8>
        let isSigned: Int32
        let pieces: ElementPieces
    }

    /// The table's 256 elements.
    let table: Tensor
    let input: Operand
    let output: Operand
    let pieces: ElementPieces

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.bytes(input), table: table.firstElement.assumingMemoryBound(to: UInt8.self),
            output: context.mutableBytes(output), isSigned: input.elementType == .int8 ? 1 : 0, pieces: pieces)
        context.workers.run(pieces.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (first, count) = it.pieces.piece(index)
            guard count > 0 else { return }
            apus_look_up(it.input + first, it.table, it.isSigned, count, it.output + first)
        }
        withExtendedLifetime(table) {}
    }
}
