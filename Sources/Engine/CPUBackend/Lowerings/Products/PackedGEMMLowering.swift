import CPUKernels
import Graphs
import Planning
import Tensors

/// Gemm and MatMul with weights that are part of the network, packed once. Rows are images, or belong to stacked
/// images, and share the weights that are read.
struct PackedGEMMLowering: Lowering {
    let kernel: GEMMKernel

    var name: String { "packed-gemm" + kernel.suffix }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let product: WeightedProduct
        do { product = try request.specialized() } catch { return error.answer }
        if let refusal = kernel.refusal(request) { return .decline(refusal) }
        let (rows, columns, depth) = (product.rowCount, product.columns, product.depth)
        let words = kernel.words(depth)
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: kernel.multiplyAddsPerMicrosecond,
            threads: request.threadCount)
        let tiling = PackedProductPartition(
            rows: rows, columns: columns, depth: kernel.weightWords(depth),
            rowByteCount: words * MemoryLayout<Float>.stride, cachedRowByteCount: kernel.chainByteCount(words),
            segmentCount: 1, tileRows: kernel.tileRows, panelColumns: kernel.panelColumns, threads: request.threadCount)
        let needsSums = kernel.needsSums(depth: words)
        let scratch = RowScratch(
            kernel, rows: tiling.maximumRowsPerBlock, segments: 1, words: words,
            sumColumns: needsSums ? tiling.maximumColumnsPerPiece : 0)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: product.inputLayouts, outputLayouts: [.rowMajor],
                readsSlices: false, writesSlices: false,
                sharing: product.hasAddend ? .overwriting(input: MatMul.addendPosition) : nil,
                scratchByteCount: scratch.byteCount * request.threadCount,
                bfloat16Operands: kernel.bfloat16Operands(
                    wholeWords: depth % 2 == 0, addend: MatMul.addendPosition)
            ) { operands in
                let weights = try kernel.pack(
                    product.weights, "gemm/\(product.isTransposed)/\(product.alpha)", in: operands.packedWeights
                ) { weights in
                    let matrix = try product.matrix(weights)
                    return Tensor(
                        elementType: matrix.elementType, shape: [1, 1] + matrix.shape,
                        strides: [0, 0] + matrix.strides,
                        offset: matrix.offset, storage: matrix.storage)
                }
                return PackedGEMMStep(
                    input: try operands.input(0), addend: try product.addend(operands), output: operands.outputs[0],
                    scratch: operands.scratch, parts: scratch, weights: weights,
                    bias: try kernel.pack(bias: product.bias, groups: 1, columns: columns),
                    depth: depth, tiling: tiling, kernel: kernel, activation: apus_activation(product.activation))
            })
    }
}

private struct PackedGEMMStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let addend: UnsafeRawPointer?
        let addendIsBFloat16: Bool
        let output: ProductOutput
        let isRounded: Bool
        let scratch: UnsafeMutableRawPointer
        let parts: RowScratch
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>
        let depth: Int
        let tiling: PackedProductPartition
        let kernel: GEMMKernel
        let activation: apus_activation
    }

    let input: Operand
    let addend: Operand?
    let output: Operand
    let scratch: Operand
    let parts: RowScratch
    let weights: Tensor
    let bias: Tensor
    let depth: Int
    let tiling: PackedProductPartition
    let kernel: GEMMKernel
    let activation: apus_activation

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), addend: addend.map { context.memory.address($0) },
            addendIsBFloat16: addend?.isBFloat16 ?? false,
            output: ProductOutput(context.memory.mutableAddress(output), output, stride: tiling.columnCount),
            isRounded: input.elementType == .bfloat16,
            scratch: context.memory.mutableAddress(scratch), parts: parts, weights: weights.floats, bias: bias.floats,
            depth: depth,
            tiling: tiling, kernel: kernel,
            activation: activation)
        context.workers.run(tiling.pieceCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let piece = it.tiling.piece(index)
            let words = it.kernel.words(it.depth)
            let scratch = it.scratch + worker * it.parts.byteCount
            let addresses = it.parts.addresses(scratch)
            var rows = it.input + piece.firstRow * (it.isRounded ? words : it.depth)
            if !it.isRounded, let round = it.kernel.roundRows {
                round(rows, piece.rowCount, it.depth, it.depth, it.parts.words(scratch))
                rows = UnsafePointer(it.parts.words(scratch))
            }
            for row in 0..<piece.rowCount { (addresses + row).initialize(to: rows + row * words) }
            let position = piece.firstRow * it.tiling.columnCount + piece.firstColumn
            var block = apus_gemm_block(
                rows: addresses, rowCount: piece.rowCount, segmentLength: words,
                weights: it.weights + piece.firstColumn * it.kernel.weightWords(it.depth),
                bias: it.bias + piece.firstColumn,
                columnCount: piece.columnCount, output: it.parts.sums(scratch),
                activation: it.activation)
            block.addend_stride = it.tiling.columnCount
            if it.addendIsBFloat16 {
                block.rounded_addend = it.addend.map { $0.assumingMemoryBound(to: UInt16.self) + position }
            } else {
                block.addend = it.addend.map { $0.assumingMemoryBound(to: Float.self) + position }
            }
            it.output.place(&block, at: position, sums: it.parts.sums(scratch))
            it.kernel.multiply(&block)
        }
    }
}
