import CPUKernels
import Graphs
import Planning
import Tensors

/// Resizing of images along height and width; every output row is a piece of work.
struct ResizeLowering: Lowering {
    let name = "resize"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let tables: ResizeTables
        do { tables = try ResizeTables(request) } catch { return error.answer }
        let (rows, columns) = (tables.rows, tables.columns)
        return .accept(
            Candidate(
                microseconds: tables.microseconds(request, tapsPerMicrosecond: 4_000),
                inputLayouts: [.channelsLast] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: [.channelsLast], bfloat16Operands: .init(read: [0], isWritten: true)
            ) { operands in
                ResizeStep(
                    input: try operands.input(0), output: operands.outputs[0], rows: try BoundTable(rows),
                    columns: try BoundTable(columns), from: ImageView(try operands.input(0)),
                    to: ImageView(operands.outputs[0]))
            })
    }
}

/// Resizing of the planes of a network's output, which callers take row-major: what is as large as a picture is written
/// once.
struct PlanarResizeLowering: Lowering {
    let name = "resize-planes"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is any ImageResizing else { return .otherOperator }
        guard request.isOutput else { return .decline("not a large output of the network") }
        let tables: ResizeTables
        do { tables = try ResizeTables(request) } catch { return error.answer }
        let (rows, columns) = (tables.rows, tables.columns)
        return .accept(
            Candidate(
                microseconds: tables.microseconds(request, tapsPerMicrosecond: 8_000),
                inputLayouts: [.rowMajor] + request.inputs.dropFirst().map { _ in nil }, outputLayouts: [.rowMajor],
                readsSlices: false, writesSlices: false,
                scratchByteCount: request.threadCount * PlanarResizeStep.scratchCount(rows, request.outputs[0])
                    * MemoryLayout<Float>.stride
            ) { operands in
                PlanarResizeStep(
                    input: try operands.input(0), output: operands.outputs[0], rows: try BoundTable(rows),
                    columns: try BoundTable(columns, isTransposed: true), scratch: operands.scratch)
            })
    }
}

/// The rows and columns of the input from which those of a resized image are made.
private struct ResizeTables {
    let rows: ResizeTable
    let columns: ResizeTable

    init(_ request: LoweringRequest) throws(LoweringRefusal) {
        guard let resize = request.operation as? any ImageResizing else { throw LoweringRefusal.otherOperator }
        guard let input = request.inputs.first ?? nil else { throw LoweringRefusal("an operand is missing") }
        let output = request.outputs[0]
        guard input.rank == 4, input.elementType == .float32, input.elementCount > 0, output.elementCount > 0 else {
            throw LoweringRefusal("not images of float32")
        }
        guard let axes = try? resize.resizedAxes(request.inputs), axes.count == 4 else {
            throw LoweringRefusal("extents are computed at run time")
        }
        guard resize.interpolation.coordinates != .cropAndResize else { throw LoweringRefusal("crops") }
        guard input.shape.prefix(2) == output.shape.prefix(2), axes[2].input <= Int(Int32.max),
            axes[3].input <= Int(Int32.max)
        else { throw LoweringRefusal("images or channels are resized") }
        guard max(axes[2].output, axes[3].output) <= ResizeTable.maximumOutput else {
            throw LoweringRefusal("more than \(ResizeTable.maximumOutput) rows or columns")
        }
        rows = ResizeTable(resize.interpolation, axes[2])
        columns = ResizeTable(resize.interpolation, axes[3])
    }

    func microseconds(_ request: LoweringRequest, tapsPerMicrosecond: Double) -> Double {
        let taps = (request.outputs[0].shape + [rows.width, columns.width]).saturatingProduct
        return Speed.microseconds(
            OperatorCost(multiplyAdds: taps, bytes: request.cost.bytes),
            multiplyAddsPerMicrosecond: tapsPerMicrosecond, threads: request.threadCount)
    }
}

/// A table in memory, in the form that kernels read.
private struct BoundTable: Sendable {
    let width: Int
    let indices: Tensor
    let weights: Tensor

    /// - Parameter isTransposed: Whether the first elements of all outputs come first.
    init(_ table: ResizeTable, isTransposed: Bool = false) throws {
        width = table.width
        var (indices, weights) = (
            try Tensor(table.indices, shape: [table.indices.count / width, width]),
            try Tensor(table.weights, shape: [table.weights.count / width, width])
        )
        if isTransposed {
            indices = try indices.transposed([1, 0]).contiguous()
            weights = try weights.transposed([1, 0]).contiguous()
        }
        (self.indices, self.weights) = (indices, weights)
    }

    var table: apus_resize_table {
        apus_resize_table(
            width: width, indices: UnsafeRawPointer(indices.firstElement).assumingMemoryBound(to: Int32.self),
            weights: weights.floats)
    }
}

private struct ResizeStep: Step {
    private struct Arguments: BitwiseCopyable {
        /// The first row of the first image.
        let resized: apus_resized_row
        var rows: apus_resize_table
        var columns: apus_resize_table
        let from: ImageView
        let to: ImageView
        let byteCounts: (input: Int, output: Int)
    }

    let input: Operand
    let output: Operand
    let rows: BoundTable
    let columns: BoundTable
    let from: ImageView
    let to: ImageView

    func run(_ context: StepContext) {
        let arguments = Arguments(
            resized: apus_resized_row(
                input: context.memory.address(input), row_stride: from.rowStride, pixel_stride: from.pixelStride,
                channels: to.channels, width: to.width, output: context.memory.mutableAddress(output),
                output_pixel_stride: to.pixelStride, input_is_bfloat16: input.bfloat16Flag,
                output_is_bfloat16: output.bfloat16Flag),
            rows: rows.table, columns: columns.table, from: from, to: to,
            byteCounts: (input.elementType.byteCount, output.elementType.byteCount))
        context.workers.run(to.count * to.height, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let (image, row) = index.quotientAndRemainder(dividingBy: it.to.height)
            var resized = it.resized
            resized.input += image * it.from.imageStride * it.byteCounts.input
            resized.output += (image * it.to.imageStride + row * it.to.rowStride) * it.byteCounts.output
            apus_resize_row(&resized, &it.rows, row, &it.columns)
        }
    }
}

private struct PlanarResizeStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        var rows: apus_resize_table
        var columns: apus_resize_table
        let from: (height: Int, width: Int)
        let to: (height: Int, width: Int)
        let rowsPerPiece: Int
        let piecesPerPlane: Int
        let scratch: UnsafeMutablePointer<Float>
        let scratchCount: Int
    }

    let input: Operand
    let output: Operand
    let rows: BoundTable
    let columns: BoundTable
    let scratch: Operand

    /// The elements of a piece of work.
    private static let pieceCount = 32_768

    /// The words of a thread's scratch memory: a line and its number for each row weight, in whole cache lines.
    static func scratchCount(_ rows: ResizeTable, _ output: TensorType) -> Int {
        scratchCount(rowWidth: rows.width, outputWidth: output.shape[3])
    }

    private static func scratchCount(rowWidth: Int, outputWidth: Int) -> Int {
        (rowWidth * (outputWidth + 1) + 15) / 16 * 16
    }

    func run(_ context: StepContext) {
        let (from, to) = (input.shape, output.shape)
        let rowsPerPiece = max(1, Self.pieceCount / to[3])
        let arguments = Arguments(
            input: context.memory.address(input).assumingMemoryBound(to: Float.self),
            output: context.memory.mutableAddress(output).assumingMemoryBound(to: Float.self),
            rows: rows.table, columns: columns.table, from: (from[2], from[3]), to: (to[2], to[3]),
            rowsPerPiece: rowsPerPiece, piecesPerPlane: (to[2] + rowsPerPiece - 1) / rowsPerPiece,
            scratch: context.memory.mutableAddress(scratch).assumingMemoryBound(to: Float.self),
            scratchCount: Self.scratchCount(rowWidth: rows.width, outputWidth: to[3]))
        context.workers.run(to[0] * to[1] * arguments.piecesPerPlane, arguments) { context, index, worker in
            var it = context.load(as: Arguments.self)
            let (plane, piece) = index.quotientAndRemainder(dividingBy: it.piecesPerPlane)
            let first = piece * it.rowsPerPiece
            let lines = it.scratch + worker * it.scratchCount
            var resized = apus_resized_plane(
                input: it.input + plane * it.from.height * it.from.width, row_stride: it.from.width,
                width: it.to.width, output: it.output + plane * it.to.height * it.to.width, lines: lines,
                line_numbers: UnsafeMutableRawPointer(lines + it.rows.width * it.to.width)
                    .assumingMemoryBound(to: Int32.self))
            apus_resize_plane_rows(
                &resized, &it.rows, first, min(first + it.rowsPerPiece, it.to.height), &it.columns)
        }
    }
}
