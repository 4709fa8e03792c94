import CPUKernels
import Graphs
import Planning
import Tensors

/// TopK of float32, a column at a time.
struct TopKLowering: Lowering {
    let name = "top-k"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let top = request.operation as? TopK else { return .otherOperator }
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        guard input.elementType == .float32, input.elementCount > 0 else { return .decline("not float32, or empty") }
        guard let axis = try? Axes.resolve(top.axis, rank: input.rank), input.shape[axis] < Int32.max else {
            return .decline("there is no such axis, or it is too long")
        }
        guard request.outputs.count == 2, request.outputs[0].elementCount > 0 else {
            return .decline("positions are not wanted, or nothing is")
        }
        let columns = ColumnLoop(input.shape, axis: axis)
        let k = request.outputs[0].shape[axis]
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    OperatorCost(multiplyAdds: input.elementCount, bytes: request.cost.bytes),
                    multiplyAddsPerMicrosecond: 500, threads: request.threadCount),
                inputLayouts: request.inputs.map { $0?.rank == input.rank ? .rowMajor : nil },
                outputLayouts: [.rowMajor, .rowMajor], readsSlices: false, writesSlices: false,
                scratchByteCount: [k, MemoryLayout<UInt64>.stride, request.threadCount].saturatingProduct
            ) { operands in
                TopKStep(
                    input: try operands.input(0), values: operands.outputs[0], positions: operands.outputs[1],
                    scratch: operands.scratch, columns: columns, k: k, isLargest: top.isLargest)
            })
    }
}

private struct TopKStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let values: UnsafeMutablePointer<Float>
        let positions: UnsafeMutablePointer<Int64>
        let scratch: UnsafeMutablePointer<UInt64>
        let columns: ColumnLoop
        let k: Int
        let isLargest: Bool
    }

    let input, values, positions, scratch: Operand
    let columns: ColumnLoop
    let k: Int
    let isLargest: Bool

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), values: context.mutableFloats(values),
            positions: context.memory.mutableAddress(positions).assumingMemoryBound(to: Int64.self),
            scratch: context.memory.mutableAddress(scratch).assumingMemoryBound(to: UInt64.self), columns: columns,
            k: k, isLargest: isLargest)
        context.workers.run(columns.outer * columns.inner, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let (row, column) = index.quotientAndRemainder(dividingBy: it.columns.inner)
            let place = row * it.k * it.columns.inner + column
            apus_find_top(
                it.isLargest ? 1 : 0, it.input + row * it.columns.length * it.columns.inner + column, it.columns.inner,
                it.columns.length, it.k, it.scratch + worker * it.k, it.values + place, it.positions + place,
                it.columns.inner)
        }
    }
}
