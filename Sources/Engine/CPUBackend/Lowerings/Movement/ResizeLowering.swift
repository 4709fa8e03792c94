import CPUKernels
import Graphs
import Planning
import Tensors

/// Resizing of images along height and width; every output row is a piece of work.
struct ResizeLowering: Lowering {
    let name = "resize"

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let resize = request.operation as? any ImageResizing else { return .otherOperator }
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        let output = request.outputs[0]
        guard input.rank == 4, input.elementType == .float32, input.elementCount > 0, output.elementCount > 0 else {
            return .decline("not images of float32")
        }
        guard let axes = try? resize.resizedAxes(request.inputs), axes.count == 4 else {
            return .decline("extents are computed at run time")
        }
        guard resize.interpolation.coordinates != .cropAndResize else { return .decline("crops") }
        guard input.shape.prefix(2) == output.shape.prefix(2), axes[2].input <= Int(Int32.max),
            axes[3].input <= Int(Int32.max)
        else { return .decline("images or channels are resized") }
        guard max(axes[2].output, axes[3].output) <= ResizeTable.maximumOutput else {
            return .decline("more than \(ResizeTable.maximumOutput) rows or columns")
        }
        let rows = ResizeTable(resize.interpolation, axes[2])
        let columns = ResizeTable(resize.interpolation, axes[3])
        let taps = (output.shape + [rows.width, columns.width]).saturatingProduct
        let cost = Speed.microseconds(
            OperatorCost(multiplyAdds: taps, bytes: request.cost.bytes), multiplyAddsPerMicrosecond: 4_000,
            threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.channelsLast] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: [.channelsLast], bfloat16Operands: .init(read: [0], isWritten: true)
            ) { operands in
                ResizeStep(
                    input: try operands.input(0), output: operands.outputs[0], rows: try BoundTable(rows),
                    columns: try BoundTable(columns), from: ImageView(try operands.input(0)),
                    to: ImageView(operands.outputs[0]))
            })
    }
}

/// A table in memory, in the form that kernels read.
private struct BoundTable: Sendable {
    let width: Int
    let indices: Tensor
    let weights: Tensor

    init(_ table: ResizeTable) throws {
        width = table.width
        indices = try Tensor(table.indices, shape: [table.indices.count])
        weights = try Tensor(table.weights, shape: [table.weights.count])
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
