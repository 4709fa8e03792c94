import CPUKernels
import Graphs
import Planning
import Tensors

/// LayerNormalization and RMSNormalization over trailing axes; every row of adjacent elements is normalised separately.
struct RowNormalizationLowering: Lowering {
    let name = "row-normalization"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let rows: RowNormalization
        do { rows = try request.specialized() } catch { return error.answer }
        let cost = Speed.microseconds(
            OperatorCost(multiplyAdds: request.outputs[0].elementCount, bytes: request.cost.bytes),
            multiplyAddsPerMicrosecond: 4_000, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.rowMajor], outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false
            ) { operands in
                RowNormalizationStep(
                    input: try operands.input(0), output: operands.outputs[0], scale: try rows.makeScale(),
                    bias: try rows.makeBias(), length: rows.length, epsilon: rows.epsilon,
                    subtractsMean: rows.subtractsMean)
            })
    }
}

private struct RowNormalizationStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        var normalization: apus_row_normalization
        let rowCount: Int
        let pieceCount: Int
    }

    let input: Operand
    let output: Operand
    let scale: Tensor
    let bias: Tensor?
    let length: Int
    let epsilon: Float
    let subtractsMean: Bool

    /// Elements per piece: enough to outweigh the cost of handing the piece to a thread.
    private static let pieceLength = 8_192

    func run(_ context: StepContext) {
        let rowCount = output.elementCount / length
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output),
            normalization: apus_row_normalization(
                length: length, scale: scale.floats, bias: bias?.floats, epsilon: epsilon,
                subtracts_mean: subtractsMean ? 1 : 0), rowCount: rowCount,
            pieceCount: max(1, min(rowCount, output.elementCount / Self.pieceLength)))
        context.workers.run(arguments.pieceCount, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let length = it.normalization.length
            let first = it.rowCount * index / it.pieceCount
            let count = it.rowCount * (index + 1) / it.pieceCount - first
            apus_normalize_rows(
                &it.normalization, it.input + first * length, length, count, it.output + first * length, length)
        }
    }
}
