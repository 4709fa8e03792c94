import CPUKernels
import Graphs
import Planning
import Tensors

/// ArgMax and ArgMin of float32.
struct SearchLowering: Lowering {
    let name = "search"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let search = request.operation as? any ExtremumSearch else { return .otherOperator }
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        guard input.elementType == .float32, input.elementCount > 0 else { return .decline("not float32, or empty") }
        guard let axis = try? Axes.resolve(search.search.axis, rank: input.rank), input.shape[axis] < Int32.max else {
            return .decline("there is no such axis, or it is too long")
        }
        let columns = ColumnLoop(input.shape, axis: axis)
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    OperatorCost(multiplyAdds: input.elementCount, bytes: request.cost.bytes),
                    multiplyAddsPerMicrosecond: 2_000, threads: request.threadCount),
                inputLayouts: [.rowMajor], outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false
            ) { operands in
                SearchStep(
                    input: try operands.input(0), output: operands.outputs[0], columns: columns,
                    isMaximum: request.operation is ArgMax, takesLast: search.search.selectsLast)
            })
    }
}

private struct SearchStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Int64>
        let columns: ColumnLoop
        let isMaximum, takesLast: Bool
    }

    let input, output: Operand
    let columns: ColumnLoop
    let isMaximum, takesLast: Bool

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input),
            output: context.memory.mutableAddress(output).assumingMemoryBound(to: Int64.self), columns: columns,
            isMaximum: isMaximum, takesLast: takesLast)
        context.workers.run(columns.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let piece = it.columns.piece(index)
            apus_find_extremum(
                it.isMaximum ? 1 : 0, it.takesLast ? 1 : 0, it.input + piece.start, it.columns.inner,
                it.columns.length, piece.count, it.output + piece.row * it.columns.inner + piece.column)
        }
    }
}

/// The columns along an axis of a dense array, cut into pieces of adjacent ones.
struct ColumnLoop: BitwiseCopyable, Sendable {
    let outer, length, inner: Int

    /// The maximum number of columns of a piece.
    private static let block = Int(APUS_FOLDED_TOGETHER)

    init(_ shape: [Int], axis: Int) {
        outer = shape[..<axis].reduce(1, *)
        length = shape[axis]
        inner = shape[(axis + 1)...].reduce(1, *)
    }

    private var blockCount: Int { (inner + Self.block - 1) / Self.block }
    var pieceCount: Int { outer * blockCount }

    struct Piece {
        /// The index of the columns before the axis, and the first of those behind it.
        let row, column: Int
        let count: Int
        /// The first element.
        let start: Int
    }

    func piece(_ index: Int) -> Piece {
        let (row, block) = index.quotientAndRemainder(dividingBy: blockCount)
        let column = block * Self.block
        return Piece(
            row: row, column: column, count: min(Self.block, inner - column), start: row * length * inner + column)
    }
}
