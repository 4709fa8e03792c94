import CPUKernels
import Graphs
import Planning
import Tensors

/// Gemm and MatMul with weights that are part of the network, packed once. Rows are images, or belong to stacked
/// images, and share the weights that are read.
struct PackedGEMMLowering: Lowering {
    let kernel: GEMMKernel

    var name: String { "packed-gemm" + kernel.suffix }

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let product: WeightedProduct
        do { product = try request.specialized() } catch { return error.answer }
        if let refusal = kernel.refusal(request) { return .decline(refusal) }
        let (rows, columns, depth) = (product.rowCount, product.columns, product.depth)
        let words = kernel.words(depth)
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: kernel.multiplyAddsPerMicrosecond,
            threads: request.threadCount)
        let tiling = ProductTiling(
            rows: rows, columns: columns, depth: kernel.weightWords(depth),
            rowByteCount: words * MemoryLayout<Float>.stride, cachedRowByteCount: kernel.chainByteCount(words),
            segmentCount: 1, tileRows: kernel.tileRows, panelColumns: kernel.panelColumns, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: product.inputLayouts, outputLayouts: [.rowMajor],
                readsSlices: false, writesSlices: false,
                sharing: product.hasAddend ? .overwriting(input: MatMul.addendPosition) : nil,
                scratchByteCount: RowScratch(kernel, rows: tiling.maximumRowsPerBlock, segments: 1, words: words)
                    .byteCount * request.threadCount
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
                    scratch: operands.scratch, weights: weights,
                    bias: try kernel.pack(bias: product.bias, groups: 1, columns: columns),
                    depth: depth, tiling: tiling, kernel: kernel, activation: apus_activation(product.activation))
            })
    }
}

private struct PackedGEMMStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let addend: UnsafePointer<Float>?
        let output: UnsafeMutablePointer<Float>
        let scratch: UnsafeMutableRawPointer
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>
        let depth: Int
        let tiling: ProductTiling
        let kernel: GEMMKernel
        let activation: apus_activation
    }

    let input: Operand
    let addend: Operand?
    let output: Operand
    let scratch: Operand
    let weights: Tensor
    let bias: Tensor
    let depth: Int
    let tiling: ProductTiling
    let kernel: GEMMKernel
    let activation: apus_activation

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), addend: context.floats(addend), output: context.mutableFloats(output),
            scratch: context.memory.mutableAddress(scratch), weights: weights.floats, bias: bias.floats, depth: depth,
            tiling: tiling, kernel: kernel,
            activation: activation)
        context.workers.run(tiling.pieceCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let piece = it.tiling.piece(index)
            let words = it.kernel.words(it.depth)
            let parts = RowScratch(it.kernel, rows: it.tiling.maximumRowsPerBlock, segments: 1, words: words)
            let scratch = it.scratch + worker * parts.byteCount
            let addresses = parts.addresses(scratch)
            var rows = it.input + piece.firstRow * it.depth
            if let round = it.kernel.roundRows {
                round(rows, piece.rowCount, it.depth, it.depth, parts.words(scratch))
                rows = UnsafePointer(parts.words(scratch))
            }
            for row in 0..<piece.rowCount { (addresses + row).initialize(to: rows + row * words) }
            let position = piece.firstRow * it.tiling.columnCount + piece.firstColumn
            var block = apus_gemm_block(
                rows: addresses, zeros: nil, row_count: piece.rowCount, segment_count: 1, segment_length: words,
                weights: it.weights + piece.firstColumn * it.kernel.weightWords(it.depth),
                bias: it.bias + piece.firstColumn,
                column_count: piece.columnCount, output: it.output + position, output_stride: it.tiling.columnCount,
                addend: it.addend.map { $0 + position }, addend_stride: it.tiling.columnCount,
                activation: it.activation)
            it.kernel.multiply(&block)
        }
    }
}
