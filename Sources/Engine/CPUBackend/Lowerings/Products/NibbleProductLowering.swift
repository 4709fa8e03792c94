import CPUKernels
import Graphs
import Planning
import Tensors

/// MatMulNBits with weights that are part of the network: they stay in 4 bits in memory, and are widened in registers.
struct NibbleProductLowering: Lowering {
    let name = "nibble-gemm"
    let kernel: NibbleKernel

    /// The speed of multiply-adds relative to those of a product with weights in float32.
    private static let rate = 0.7
    /// The bits of a weight with its share of scale and zero point.
    private static let bitsPerWeight = 6

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? MatMulNBits else { return .otherOperator }
        guard let input = request.inputs[0], let output = request.outputs.first,
            input.elementType == .float32
        else { return .decline("elements are not float32") }
        guard let weights = request.constants.optional(1), let scales = request.constants.optional(2) else {
            return .decline("weights are computed at run time")
        }
        let (points, bias) = (
            request.constants.optional(MatMulNBits.zeroPointPosition),
            request.constants.optional(MatMulNBits.biasPosition)
        )
        for (position, constant) in [(MatMulNBits.zeroPointPosition, points), (MatMulNBits.biasPosition, bias)] {
            guard constant != nil || request.inputs.optional(position) == nil else {
                return .decline("zero points or bias are computed at run time")
            }
        }
        guard input.elementCount > 0, output.elementCount > 0 else { return .decline("a value is empty") }
        let (depth, columns) = (operation.depth, operation.columns)
        guard
            [input.elementCount, output.elementCount, [depth, columns].saturatingProduct].allSatisfy({
                $0 <= Int(Int32.max)
            })
        else { return .decline("extents exceed integers of 32 bits") }
        let tiling = PackedProductPartition(
            rows: input.elementCount / depth, columns: columns, depth: max(1, depth * Self.bitsPerWeight / 32),
            rowByteCount: depth * MemoryLayout<Float>.stride, segmentCount: 1, tileRows: kernel.tileRows,
            panelColumns: kernel.panelColumns, threads: request.threadCount)
        let hasAddend = request.inputs.optional(MatMulNBits.addendPosition) != nil
        let addendLayouts: [Layout?] = [nil, nil, nil, nil, nil, .rowMajor]
        return .accept(
            Candidate(
                microseconds: Speed.microseconds(
                    request.cost,
                    multiplyAddsPerMicrosecond: Self.rate * kernel.instructionSet.multiplyAddsPerMicrosecond,
                    threads: request.threadCount),
                inputLayouts: [.rowMajor] + (hasAddend ? addendLayouts : []), outputLayouts: [.rowMajor],
                readsSlices: false, writesSlices: false,
                sharing: hasAddend ? .overwriting(input: MatMulNBits.addendPosition) : nil
            ) { operands in
                NibbleProductStep(
                    input: try operands.input(0),
                    addend: hasAddend ? try operands.input(MatMulNBits.addendPosition) : nil,
                    output: operands.outputs[0],
                    weights: try kernel.pack(weights, operation, in: operands.packedWeights),
                    scales: try kernel.pack(groups: scales.elements(as: Float.self), operation),
                    zeros: try kernel.pack(groups: operation.zeroPoints(points), operation),
                    bias: try padded(bias, columns), operation: operation, tiling: tiling, kernel: kernel)
            })
    }

    private func padded(_ bias: Tensor?, _ columns: Int) throws -> Tensor {
        let numbers = bias?.elements(as: Float.self) ?? [Float](repeating: 0, count: columns)
        let count = kernel.paddedColumns(columns)
        return try Tensor(numbers + [Float](repeating: 0, count: count - columns), shape: [count])
    }
}

private struct NibbleProductStep: Step {
    private struct Arguments: BitwiseCopyable {
        let whole: apus_nibble_product
        let tiling: PackedProductPartition
        let kernel: NibbleKernel
        let groupCount: Int
    }

    let input: Operand
    let addend: Operand?
    let output: Operand
    let weights: Tensor
    let scales: Tensor
    let zeros: Tensor
    let bias: Tensor
    let operation: MatMulNBits
    let tiling: PackedProductPartition
    let kernel: NibbleKernel

    func run(_ context: StepContext) {
        let whole = apus_nibble_product(
            input: context.floats(input), input_stride: operation.depth, row_count: 0, depth: operation.depth,
            group: operation.blockSize, weights: weights.firstElement.assumingMemoryBound(to: UInt32.self),
            scales: scales.floats, zeros: zeros.floats, bias: bias.floats, column_count: 0,
            output: context.mutableFloats(output), output_stride: operation.columns, addend: context.floats(addend),
            addend_stride: operation.columns, activation: apus_activation(operation.activation))
        let arguments = Arguments(
            whole: whole, tiling: tiling, kernel: kernel, groupCount: operation.blockCount)
        context.workers.run(tiling.pieceCount, arguments) { context, index, _ in
            let it = context.load(as: Arguments.self)
            let piece = it.tiling.piece(index)
            var part = it.whole
            part.input += piece.firstRow * part.input_stride
            part.row_count = piece.rowCount
            part.weights += piece.firstColumn * apus_nibble_words(part.depth)
            part.scales += piece.firstColumn * it.groupCount
            part.zeros += piece.firstColumn * it.groupCount
            part.bias += piece.firstColumn
            part.column_count = piece.columnCount
            let position = piece.firstRow * part.output_stride + piece.firstColumn
            part.output += position
            part.addend = part.addend.map { $0 + position }
            it.kernel.multiply(&part)
        }
    }
}
