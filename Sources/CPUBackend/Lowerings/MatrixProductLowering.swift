import CPUKernels
import Graphs
import Planning
import Tensors

/// MatMul of stacked matrices: one product per matrix of the stack.
struct MatrixProductLowering: Lowering {
    let name = "stacked-gemm"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard request.operation is MatMul else { return .decline("not MatMul") }
        guard request.node.isPlainMatMul else { return .decline("something is fused into it") }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard let a = request.inputs[0], let b = request.inputs[1], a.rank >= 3 else {
            return .decline("the rows may be images, whose bits must not depend on one another")
        }
        let isShared = b.rank == 2
        guard isShared || (b.rank == a.rank && b.shape.dropLast(2) == a.shape.dropLast(2)) else {
            return .decline("stacks \(a.shape) and \(b.shape) differ")
        }
        guard OpenBLAS.accepts(a.elementCount, b.elementCount, request.outputs[0].elementCount) else {
            return .decline("extents exceed OpenBLAS's integers")
        }
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    request.cost, multiplyAddsPerMicrosecond: 25_000, threads: request.threadCount),
                inputLayouts: [.rowMajor, .rowMajor], outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false
            ) { operands in
                MatrixProductStep(
                    left: try operands.input(0), right: try operands.input(1), output: operands.outputs[0],
                    isShared: isShared)
            })
    }
}

private struct MatrixProductStep: Step {
    private struct Arguments: BitwiseCopyable {
        let left: UnsafePointer<Float>
        let right: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let rows: Int
        let columns: Int
        let depth: Int
        let rightStride: Int
        let tiling: MatrixTiling
    }

    private let left: Operand
    private let right: Operand
    private let output: Operand
    private let rows: Int
    private let columns: Int
    private let depth: Int
    private let rightStride: Int
    private let count: Int
    private let tiling: MatrixTiling

    init(left: Operand, right: Operand, output: Operand, isShared: Bool) {
        self.left = left
        self.right = right
        self.output = output
        rows = left.shape[left.shape.count - 2]
        depth = left.shape[left.shape.count - 1]
        columns = right.shape[right.shape.count - 1]
        rightStride = isShared ? 0 : depth * columns
        count = left.shape.dropLast(2).reduce(1, *)
        tiling = MatrixTiling(rows: rows, columns: columns, depth: depth)
    }

    func run(_ context: StepContext) {
        let arguments = Arguments(
            left: context.floats(left), right: context.floats(right), output: context.mutableFloats(output),
            rows: rows, columns: columns, depth: depth, rightStride: rightStride, tiling: tiling)
        context.workers.run(count * tiling.tileCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let (matrix, tile) = index.quotientAndRemainder(dividingBy: it.tiling.tileCount)
            let (rowTile, columnTile) = tile.quotientAndRemainder(dividingBy: it.tiling.columnTileCount)
            let row = rowTile * it.tiling.rowsPerTile
            let column = columnTile * it.tiling.columnsPerTile
            OpenBLAS.multiply(
                rows: min(it.tiling.rowsPerTile, it.rows - row),
                columns: min(it.tiling.columnsPerTile, it.columns - column), depth: it.depth,
                it.left + (matrix * it.rows + row) * it.depth, aStride: it.depth,
                it.right + matrix * it.rightStride + column, bStride: it.columns,
                into: it.output + (matrix * it.rows + row) * it.columns + column, cStride: it.columns)
        }
    }
}
