import CPUKernels
import Graphs
import Planning
import Tensors

/// MatMul and Gemm of values that are computed at run time, one product for the rows of each image and for each matrix
/// of a stack.
struct MatrixProductLowering: Lowering {
    let name = "stacked-gemm"
    let routine: ProductRoutine

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let product: MatrixProductRequest
        do { product = try request.specialized() } catch { return error.answer }
        if let refusal = product.refusal(request, routine) { return .decline(refusal) }
        guard product.rows > 1 else {
            return .decline("each row is or may be an image, whose bits must not depend on the others")
        }
        return .accept(
            product.candidate(request, routine, multiplyAddsPerMicrosecond: routine.multiplyAddsPerMicrosecond))
    }
}

/// MatMul and Gemm of rows that are or may be images, such as after pooling. Each row is multiplied as a vector, so
/// that its bits do not depend on the number of images.
struct VectorProductLowering: Lowering {
    let name = "gemv-rows"
    let routine: ProductRoutine

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let product: MatrixProductRequest
        do { product = try request.specialized() } catch { return error.answer }
        if let refusal = product.refusal(request, routine) { return .decline(refusal) }
        guard product.rows == 1 else { return .decline("the rows of an image are multiplied together") }
        return .accept(product.candidate(request, routine, multiplyAddsPerMicrosecond: 4_000))
    }
}

extension MatrixProductRequest {
    /// Why the routine cannot multiply these values; nil where it can.
    fileprivate func refusal(_ request: LoweringRequest, _ routine: ProductRoutine) -> String? {
        let counts = request.inputs.prefix(2).compactMap { $0?.elementCount } + request.outputs.map(\.elementCount)
        return counts.lazy.compactMap { routine.refusal(of: $0) }.first
    }

    /// What the products share, before a beginning of the result is known.
    fileprivate func product(beta: Float = 0) -> StridedProduct {
        StridedProduct(
            rows: rows, columns: columns, depth: depth, alpha: alpha, beta: beta, leftRowStride: leftRowStride,
            leftColumnStride: leftColumnStride,
            rightStride: isRightTransposed ? depth : columns, isRightTransposed: isRightTransposed,
            resultStride: outputRowStride)
    }

    /// Makes a candidate that runs the product on a routine.
    fileprivate func candidate(
        _ request: LoweringRequest, _ routine: ProductRoutine, multiplyAddsPerMicrosecond rate: Double
    ) -> Candidate {
        let tiling = routine.tiling(product(), count: count, threads: request.threadCount)
        let scratchCount = routine.scratchCount(product(), rows: min(rows, tiling.rowsPerTile))
        return Candidate(
            microseconds: Speed.microseconds(
                request.cost, multiplyAddsPerMicrosecond: rate, threads: request.threadCount),
            inputLayouts: inputLayouts(request), outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false,
            scratchByteCount: scratchCount * MemoryLayout<Float>.stride * request.threadCount
        ) { operands in
            try MatrixProductStep(self, routine, tiling, scratchCount: scratchCount, operands)
        }
    }
}

private struct MatrixProductStep: Step {
    fileprivate struct Arguments: BitwiseCopyable {
        let left: UnsafePointer<Float>
        let right: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let bias: UnsafePointer<Float>?
        /// The values added to each element after the product.
        let addend: UnsafePointer<Float>?
        /// The values that each element starts with.
        let start: UnsafePointer<Float>?
        let scratch: UnsafeMutablePointer<Float>
        let table: UnsafePointer<MatrixProductRequest.Place>?
        let shape: Shape
    }

    /// The parameters that are the same in every run.
    fileprivate struct Shape: BitwiseCopyable {
        let step: MatrixProductRequest.Place
        let routine: ProductRoutine
        let product: StridedProduct
        /// The floats of scratch memory of a thread.
        let scratchCount: Int
        let rows: Int
        let columns: Int
        let tiling: ProductPartition
        let startRowStride: Int
        let startColumnStride: Int
        let activation: apus_activation
    }

    private let left: Operand
    private let right: Operand
    private let output: Operand
    private let bias: Tensor?
    private let addend: Operand?
    private let start: Operand?
    private let scratch: Operand
    private let count: Int
    private let table: [MatrixProductRequest.Place]
    private let shape: Shape

    init(
        _ request: MatrixProductRequest, _ routine: ProductRoutine, _ tiling: ProductPartition, scratchCount: Int,
        _ operands: StepOperands
    ) throws {
        left = try operands.input(0)
        right = try operands.input(1)
        output = operands.outputs[0]
        scratch = operands.scratch
        bias = request.bias
        var (addend, start) = (nil as Operand?, nil as Operand?)
        var (beta, rowStride, columnStride) = (Float(0), 0, 0)
        switch request.addend {
        case .value(let position): addend = try operands.input(position)
        case .scaled(let position, let factor, let rows, let columns):
            start = try operands.input(position)
            (beta, rowStride, columnStride) = (factor, rows, columns)
        case nil: break
        }
        (self.addend, self.start) = (addend, start)
        count = request.count
        table = request.table
        shape = Shape(
            step: request.step, routine: routine, product: request.product(beta: beta), scratchCount: scratchCount,
            rows: request.rows, columns: request.columns,
            tiling: tiling,
            startRowStride: rowStride, startColumnStride: columnStride,
            activation: apus_activation(request.activation))
    }

    func run(_ context: StepContext) {
        table.withUnsafeBufferPointer { table in
            let arguments = Arguments(
                left: context.floats(left), right: context.floats(right), output: context.mutableFloats(output),
                bias: bias?.floats, addend: context.floats(addend), start: context.floats(start),
                scratch: context.mutableFloats(scratch),
                table: table.isEmpty ? nil : table.baseAddress, shape: shape)
            context.workers.run(count * shape.tiling.tileCount, arguments) { context, index, worker in
                context.load(as: Arguments.self).runPiece(index, worker)
            }
        }
    }
}

extension MatrixProductStep.Arguments {
    /// Computes one tile of one product.
    fileprivate func runPiece(_ index: Int, _ worker: Int) {
        let tiling = shape.tiling
        let (number, tile) = index.quotientAndRemainder(dividingBy: tiling.tileCount)
        let (rowTile, columnTile) = tile.quotientAndRemainder(dividingBy: tiling.columnTileCount)
        let (row, column) = (rowTile * tiling.rowsPerTile, columnTile * tiling.columnsPerTile)
        let rows = min(tiling.rowsPerTile, shape.rows - row)
        let columns = min(tiling.columnsPerTile, shape.columns - column)
        let place =
            table?[number]
            ?? MatrixProductRequest.Place(
                left: number * shape.step.left, right: number * shape.step.right, output: number * shape.step.output)
        let product = shape.product
        let position = place.output + row * product.resultStride + column
        let result = output + position
        if let start {
            let first = start + (place.output / shape.columns + row) * shape.startRowStride
            for i in 0..<rows {
                for j in 0..<columns {
                    result[i * product.resultStride + j] =
                        first[i * shape.startRowStride + (column + j) * shape.startColumnStride]
                }
            }
        }
        let b = right + place.right + column * (product.isRightTransposed ? product.depth : 1)
        let a = left + place.left + row * product.leftRowStride
        shape.routine.multiply(
            product, rows: rows, columns: columns, a, b, into: result, scratch: scratch + worker * shape.scratchCount)
        apus_add_bias_and_activate(
            result, rows, columns, product.resultStride, bias.map { $0 + column }, addend.map { $0 + position },
            product.resultStride, shape.activation)
    }
}
