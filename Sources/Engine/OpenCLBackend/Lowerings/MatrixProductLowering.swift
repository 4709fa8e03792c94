import Graphs
import Planning
import Tensors

/// Gemm and MatMul with weights that are part of the network.
struct WeightedProductLowering: Lowering {
    let name: String
    let speed: OpenCLSpeed
    let tiles: [TileShape]

    init(_ device: DeviceInformation, _ tiles: [TileShape], _ precision: MatrixPrecision) {
        name = "gemm" + precision.suffix
        speed = OpenCLSpeed(device)
        self.tiles = tiles
    }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let product: WeightedProduct
        do { product = try request.specialized() } catch { return error.answer }
        let (rows, columns, depth) = (product.rowCount, product.columns, product.depth)
        let cost = request.cost
        let extents = Product(rows: rows, columns: columns, depth: depth, isDivisible: true)
        return extents.answer(tiles, at: speed) { division in
            Candidate(
                microseconds: speed.microseconds(division, byteCount: cost.bytes),
                inputLayouts: product.inputLayouts, outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false,
                scratchByteCount: MatrixCalls.scratchCount(division, rows: rows, columns: columns) * 4,
                makeDeviceStep: { operands in
                    let calls = try Self.calls(product, operands, division.tiles.words)
                    return KernelStep(calls.calls(division, scratch: operands.scratch))
                })
        }
    }

    private static func calls(
        _ product: WeightedProduct, _ operands: StepOperands, _ words: TensorCoreWords?
    ) throws -> MatrixCalls {
        let (columns, depth, bias) = (product.columns, product.depth, product.bias)
        let padded = columns.roundedUp(to: 4)
        let arrangement = words?.name ?? "\(padded)"
        return MatrixCalls(
            rows: product.rowCount, columns: columns, depth: depth, left: try operands.input(0).onDevice(),
            leftRowStride: depth,
            right: .constant(
                product.weights, packing: "columns/\(product.isTransposed)/\(product.alpha)/\(arrangement)"
            ) {
                let matrix = try product.matrix($0)
                return try words?.pack(matrix) ?? matrix.paddedRows(to: padded)
            },
            rightRowStride: words?.count(depth: depth) ?? padded, rightColumns: words == nil ? padded : columns,
            isRightPadded: true,
            bias: .constant(bias ?? product.weights, packing: "\(bias == nil ? "no " : "")bias/\(padded)") {
                bias == nil
                    ? try Tensor([Float](repeating: 0, count: padded), shape: [padded])
                    : try $0.paddedRows(to: padded)
            }, addend: try product.addend(operands)?.onDevice(), addendRowStride: columns,
            output: operands.outputs[0], outputRowStride: columns, activation: product.activation)
    }
}

/// Gemm and MatMul of values that are computed at run time: one product per matrix of the stack.
struct MatrixProductLowering: Lowering {
    let name = "stacked-gemm"
    let speed: OpenCLSpeed
    let tiles: [TileShape]

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is Gemm || request.operation is MatMul else { return .otherOperator }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard let a = request.inputs.first ?? nil, let b = request.inputs.dropFirst().first ?? nil else {
            return .decline("an operand is missing")
        }
        let gemm = request.operation as? Gemm
        guard gemm != nil || request.node.isPlainMatMul else {
            return .decline("something is fused into it")
        }
        if let gemm {
            guard gemm.alpha == 1, request.inputs.count < 3 || request.inputs[2] == nil || gemm.beta == 0 else {
                return .decline("an addend or a factor")
            }
        }
        guard a.rank >= 2, b.rank >= 2 else { return .decline("a factor is a vector") }
        let isShared = b.rank == 2
        guard isShared || (b.rank == a.rank && b.shape.dropLast(2) == a.shape.dropLast(2)) else {
            return .decline("stacks \(a.shape) and \(b.shape) differ")
        }
        guard [a, b, request.outputs[0]].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            return .decline("extents exceed integers of 32 bits")
        }
        let (transA, transB) = (gemm?.transA ?? false, gemm?.transB ?? false)
        let shape = request.outputs[0].shape
        let (rows, columns) = (shape[shape.count - 2], shape[shape.count - 1])
        let depth = a.shape[a.rank - (transA ? 2 : 1)]
        let stack = shape.dropLast(2).reduce(1, *)
        let cost = request.cost
        let product = Product(rows: rows, columns: columns, depth: depth, stack: stack, isDivisible: false)
        return product.answer(tiles, at: speed) { division in
            Candidate(
                microseconds: speed.microseconds(division, byteCount: cost.bytes),
                inputLayouts: [.rowMajor, .rowMajor], outputLayouts: [.rowMajor], readsSlices: false,
                writesSlices: false,
                makeDeviceStep: { operands in
                    let right = try operands.input(1).onDevice()
                    let paddedColumns = columns.roundedUp(to: 4)
                    let zeros = try Tensor([Float](repeating: 0, count: paddedColumns), shape: [paddedColumns])
                    let calls = MatrixCalls(
                        stack: stack, rows: rows, columns: columns, depth: depth,
                        left: try operands.input(0).onDevice(), leftStackStride: rows * depth,
                        leftRowStride: transA ? 1 : depth, leftDepthStride: transA ? rows : 1,
                        right: .operand(right), rightStackStride: isShared ? 0 : depth * columns,
                        rightRowStride: transB ? 1 : columns, rightColumnStride: transB ? depth : 1,
                        rightColumns: columns,
                        isRightPadded: !transB && columns % 4 == 0 && right.position % 4 == 0,
                        bias: .constant(zeros, packing: "zeros") { $0 }, output: operands.outputs[0],
                        outputStackStride: rows * columns, outputRowStride: columns,
                        activation: gemm?.activation)
                    return KernelStep(calls.calls(division, scratch: operands.scratch))
                })
        }
    }
}
