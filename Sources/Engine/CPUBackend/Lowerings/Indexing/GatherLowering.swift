import CPUKernels
import Graphs
import Planning
import Tensors

/// Gather, GatherElements and GatherND with any indices, some places at a time.
struct GatherLowering: Lowering {
    let name = "gather"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is Gather || request.operation is GatherElements || request.operation is GatherND else {
            return .otherOperator
        }
        guard let runs = IndexedRuns(request), let input = request.inputs[0] else {
            return .decline("the indices are not whole numbers, or have more than 8 axes")
        }
        let output = request.outputs[0]
        guard input.elementCount > 0, output.elementCount > 0 else { return .decline("a value is empty") }
        let threads = request.threadCount
        return .accept(
            Candidate(
                microseconds: 1 + Double(runs.count) / 500 + Double(output.byteCount) / 5_000,
                inputLayouts: [.rowMajor, .rowMajor], outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false,
                scratchByteCount: [threads, MemoryLayout<apus_index_fault>.stride].saturatingProduct
            ) { operands in
                GatherStep(
                    tensor: try operands.input(0), indices: try operands.input(1), output: operands.outputs[0],
                    faults: operands.scratch, threadCount: threads, runs: runs)
            })
    }
}

private struct GatherStep: Step {
    private struct Arguments: BitwiseCopyable {
        var runs: apus_indexed_runs
        let indices: apus_indices
        let tensor: UnsafeRawPointer
        let output: UnsafeMutableRawPointer
        let faults: UnsafeMutablePointer<apus_index_fault>
        let elementByteCount, placeCount, placesPerPiece: Int
    }

    let tensor, indices, output: Operand
    /// The first fault that each thread found.
    let faults: Operand
    let threadCount: Int
    let runs: IndexedRuns

    /// The number of bytes that a piece moves at least.
    private static let bytesPerPiece = 64 << 10

    func run(_ context: StepContext) throws {
        let faults = context.memory.mutableAddress(faults).assumingMemoryBound(to: apus_index_fault.self)
        faults.initialize(repeating: apus_index_fault(), count: threadCount)
        let runByteCount = max(1, runs.runs.run_length * tensor.elementType.byteCount)
        let arguments = Arguments(
            runs: runs.runs, indices: runs.indices(indices, context.memory), tensor: context.memory.address(tensor),
            output: context.memory.mutableAddress(output), faults: faults,
            elementByteCount: tensor.elementType.byteCount, placeCount: runs.count,
            placesPerPiece: max(1, Self.bytesPerPiece / max(8, runByteCount)))
        let pieceCount = (runs.count + arguments.placesPerPiece - 1) / arguments.placesPerPiece
        context.workers.run(pieceCount, arguments) { context, index, worker in
            var it = context.load(as: Arguments.self)
            let first = index * it.placesPerPiece
            let fault = apus_gather_runs(
                &it.runs, it.indices, it.tensor, it.elementByteCount, first,
                min(first + it.placesPerPiece, it.placeCount),
                it.output + first * it.runs.run_length * it.elementByteCount)
            if fault.is_found != 0 { it.faults[worker] = fault }
        }
        for worker in 0..<threadCount { try faults[worker].check() }
    }
}
