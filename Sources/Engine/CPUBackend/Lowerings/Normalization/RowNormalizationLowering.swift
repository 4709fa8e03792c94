import CPUKernels
import Graphs
import Planning
import Tensors

/// LayerNormalization and RMSNormalization over trailing axes; every row of adjacent elements is normalised separately.
struct RowNormalizationLowering: Lowering {
    let name = "row-normalization"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let rows: RowNormalization
        do { rows = try request.specialized() } catch { return error.answer }
        let cost = Speed.microseconds(
            OperatorCost(multiplyAdds: request.outputs[0].elementCount, bytes: request.cost.bytes),
            multiplyAddsPerMicrosecond: 4_000, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.rowMajor], outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false,
                scratchByteCount: RowNormalizationStep.scratchByteCount(length: rows.length) * request.threadCount,
                bfloat16Operands: .init(read: [0], isWritten: true)
            ) { operands in
                RowNormalizationStep(
                    input: try operands.input(0), output: operands.outputs[0], scratch: operands.scratch,
                    scale: try rows.makeScale(),
                    bias: try rows.makeBias(), length: rows.length, epsilon: rows.epsilon,
                    subtractsMean: rows.subtractsMean)
            })
    }
}

private struct RowNormalizationStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafeRawPointer
        let output: UnsafeMutableRawPointer
        let inputIsBFloat16: Bool
        /// Rounds the output; nil where it is floats.
        let rounding: UnsafePointer<apus_bfloat16_kernel>?
        let scratch: UnsafeMutableRawPointer
        var normalization: apus_row_normalization
        let rowCount: Int
        let pieceCount: Int
    }

    let input: Operand
    let output: Operand
    let scratch: Operand
    let scale: Tensor
    let bias: Tensor?
    let length: Int
    let epsilon: Float
    let subtractsMean: Bool

    /// The bytes in which a worker keeps a row.
    static func scratchByteCount(length: Int) -> Int { (length * MemoryLayout<Float>.stride + 63) / 64 * 64 }

    /// Elements per piece: enough to outweigh the cost of handing the piece to a thread.
    private static let pieceLength = 8_192

    func run(_ context: StepContext) {
        let rowCount = output.elementCount / length
        let arguments = Arguments(
            input: context.memory.address(input), output: context.memory.mutableAddress(output),
            inputIsBFloat16: input.isBFloat16,
            rounding: output.isBFloat16 ? apus_bfloat16_kernel_for(InstructionSet.chosen.cValue) : nil,
            scratch: context.memory.mutableAddress(scratch),
            normalization: apus_row_normalization(
                length: length, scale: scale.floats, bias: bias?.floats, epsilon: epsilon,
                subtracts_mean: subtractsMean ? 1 : 0), rowCount: rowCount,
            pieceCount: max(1, min(rowCount, output.elementCount / Self.pieceLength)))
        context.workers.run(arguments.pieceCount, arguments) { context, index, worker in
            var it = context.load(as: Arguments.self)
            let length = it.normalization.length
            let first = it.rowCount * index / it.pieceCount
            let count = it.rowCount * (index + 1) / it.pieceCount - first
            guard it.inputIsBFloat16 || it.rounding != nil else {
                let input = it.input.assumingMemoryBound(to: Float.self) + first * length
                let output = it.output.assumingMemoryBound(to: Float.self) + first * length
                apus_normalize_rows(&it.normalization, input, length, count, output, length)
                return
            }
            let own = it.scratch + worker * RowNormalizationStep.scratchByteCount(length: length)
            apus_normalize_rows_of_bfloat16(
                &it.normalization, it.input + first * length * (it.inputIsBFloat16 ? 2 : 4),
                it.inputIsBFloat16 ? 1 : 0, count, it.output + first * length * (it.rounding == nil ? 4 : 2),
                it.rounding, own.assumingMemoryBound(to: Float.self))
        }
    }
}
