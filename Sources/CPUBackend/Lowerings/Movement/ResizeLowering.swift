import CPUKernels
import Graphs
import Planning
import Tensors

/// Resizing of images along height and width; every output row is a piece of work.
struct ResizeLowering: Lowering {
    let name = "resize"

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
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
        let rows = ResizeTable(resize.interpolation, axes[2])
        let columns = ResizeTable(resize.interpolation, axes[3])
        let taps = (output.shape + [rows.width, columns.width]).saturatingProduct
        let cost = Speed.microseconds(
            OperatorCost(multiplyAdds: taps, bytes: request.cost.bytes), multiplyAddsPerMicrosecond: 4_000,
            threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: [.channelsLast] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: [.channelsLast]
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
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        var rows: apus_resize_table
        var columns: apus_resize_table
        let from: ImageView
        let to: ImageView
    }

    let input: Operand
    let output: Operand
    let rows: BoundTable
    let columns: BoundTable
    let from: ImageView
    let to: ImageView

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), rows: rows.table,
            columns: columns.table, from: from, to: to)
        context.workers.run(to.count * to.height, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let (image, row) = index.quotientAndRemainder(dividingBy: it.to.height)
            apus_resize_row(
                it.input + image * it.from.imageStride, it.from.rowStride, it.from.pixelStride, it.to.channels,
                &it.rows,
                row, &it.columns, it.to.width, it.output + image * it.to.imageStride + row * it.to.rowStride,
                it.to.pixelStride)
        }
    }
}
