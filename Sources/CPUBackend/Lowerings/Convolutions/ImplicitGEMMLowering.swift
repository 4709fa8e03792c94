import CPUKernels
import Graphs
import Planning
import Tensors

/// Runs any 2-D convolution as a product whose rows are addressed in the input: patches are copied only at edges.
struct ImplicitGEMMLowering: Lowering {
    let name = "implicit-gemm"
    let kernel: GEMMKernel

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return .decline(error.reason) }
        let operation = convolution.operation
        let columns = convolution.weights.shape[0] / operation.group
        // Columns that fill no vector are wasted work; with short segments, row addresses are used only briefly.
        let lanes = kernel.panelColumns / 2
        let filling = Double(columns) / Double((columns + lanes - 1) / lanes * lanes)
        let padding = PaddedTaps(convolution.geometry)
        let efficiency = filling * min(1, Double(convolution.weights.shape[1]) / 8) / padding.remainingWork
        let cost = Speed.microseconds(convolution, request, kernel, efficiency: efficiency)
        let taps = convolution.geometry.kernel.reduce(1, *)
        let pixels = convolution.geometry.output.reduce(1, *)
        let pixelsPerRow = ProductTiling.pixelsPerRow(
            input: convolution.input.shape[2] * convolution.input.shape[3], output: pixels, taps: taps)
        let depth = convolution.weights.shape[1]
        let tiling = ProductTiling(
            rows: convolution.output.shape[0] * pixels, columns: columns, depth: taps * depth,
            rowByteCount: pixelsPerRow * depth * MemoryLayout<Float>.stride,
            segmentCount: taps, tileRows: kernel.tileRows, panelColumns: kernel.panelColumns,
            threads: request.threadCount)
        let addressByteCount = tiling.maximumRowsPerBlock * taps * MemoryLayout<UnsafePointer<Float>>.stride
        let makeStep = { @Sendable (operands: StepOperands) in
            let weights = try kernel.pack(
                convolution.weights, "gemm/\(operation.group)", in: operands.packedWeights
            ) { try ConvolutionRequest.productWeights($0, group: operation.group) }
            return try ImplicitGEMMStep(
                convolution, tiling, kernel, weights: weights,
                leavesOutPadding: padding.areLeftOut
                    && convolution.weights.elements(as: Float.self).allSatisfy(\.isFinite),
                bias: kernel.pack(bias: convolution.bias, groups: operation.group, columns: columns),
                zeros: Tensor([Float](repeating: 0, count: depth), shape: [depth]), operands)
        }
        let rowStage = RowStage(
            RowWindow(convolution.geometry), scratchByteCount: addressByteCount,
            weightsByteCount: convolution.weights.byteCount, makeStep: makeStep)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast],
                sharing: .overwriting(input: Conv.addendPosition),
                scratchByteCount: addressByteCount * request.threadCount,
                rowStage: operation.group == 1 ? rowStage : nil, makeStep: makeStep))
    }
}

private struct ImplicitGEMMStep: Step {
    private struct Arguments: BitwiseCopyable {
        let input: UnsafePointer<Float>
        let output: UnsafeMutablePointer<Float>
        let addend: ConvolutionAddend.Pixels
        let weights: UnsafePointer<Float>
        let bias: UnsafePointer<Float>
        let zeros: UnsafePointer<Float>
        let leftOut: UnsafePointer<Float>?
        let addresses: UnsafeMutablePointer<UnsafePointer<Float>>
        var shape: Shape
    }

    /// The parameters that are the same in every run.
    private struct Shape: BitwiseCopyable {
        var patches: apus_patches
        let rows: RowWindow
        let to: ImageView
        let groups: Int
        let taps: Int
        let channels: Int
        let paddedColumns: Int
        let tiling: ProductTiling
        let activation: apus_activation
        let kernel: GEMMKernel

        var depth: Int { taps * channels }
    }

    private let input: Operand
    private let output: Operand
    private let scratch: Operand
    private let addend: ConvolutionAddend
    private let weights: Tensor
    private let bias: Tensor
    private let zeros: Tensor
    private let leavesOutPadding: Bool
    private let shape: Shape

    init(
        _ convolution: ConvolutionRequest, _ tiling: ProductTiling, _ kernel: GEMMKernel, weights: Tensor,
        leavesOutPadding: Bool, bias: Tensor, zeros: Tensor, _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        output = operands.outputs[0]
        scratch = operands.scratch
        addend = try ConvolutionAddend(operands)
        self.weights = weights
        self.bias = bias
        self.zeros = zeros
        self.leavesOutPadding = leavesOutPadding
        let from = ImageView(input)
        let to = ImageView(output)
        let group = convolution.operation.group
        shape = Shape(
            patches: apus_patches(
                window: apus_window(convolution.geometry, over: from), image_stride: from.imageStride,
                image_pixel_count: to.pixelCount, order: APUS_PATCH_TAPS),
            rows: RowWindow(convolution.geometry), to: to, groups: group,
            taps: convolution.geometry.kernel.reduce(1, *),
            channels: convolution.weights.shape[1], paddedColumns: kernel.paddedColumns(tiling.columnCount),
            tiling: tiling, activation: apus_activation(convolution.operation.activation), kernel: kernel)
    }

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), addend: addend.pixels(context),
            weights: weights.floats, bias: bias.floats, zeros: zeros.floats,
            leftOut: leavesOutPadding ? zeros.floats : nil,
            addresses: context.memory.mutableAddress(scratch).assumingMemoryBound(to: UnsafePointer<Float>.self),
            shape: shape)
        context.workers.run(shape.groups * shape.tiling.pieceCount, arguments) { context, index, worker in
            var it = context.load(as: Arguments.self)
            let tiling = it.shape.tiling
            let (group, number) = index.quotientAndRemainder(dividingBy: tiling.pieceCount)
            let piece = tiling.piece(number)
            let addresses = it.addresses + worker * tiling.maximumRowsPerBlock * it.shape.taps
            apus_find_patches(
                &it.shape.patches, it.input + group * it.shape.channels, it.zeros, piece.firstRow, piece.rowCount,
                it.shape.kernel.tileRows, addresses)
            let column = group * tiling.columnCount + piece.firstColumn
            let padded = group * it.shape.paddedColumns + piece.firstColumn
            var block = apus_gemm_block(
                rows: UnsafePointer(addresses), zeros: it.leftOut, row_count: piece.rowCount,
                segment_count: it.shape.taps,
                segment_length: it.shape.channels, weights: it.weights + padded * it.shape.depth,
                bias: it.bias + padded, column_count: piece.columnCount,
                output: it.output + piece.firstRow * it.shape.to.pixelStride + column,
                output_stride: it.shape.to.pixelStride,
                addend: it.addend.address(image: 0, pixel: piece.firstRow, channel: column),
                addend_stride: it.addend.pixelStride, activation: it.shape.activation)
            it.shape.kernel.multiply(&block)
        }
    }
}

extension ImplicitGEMMStep: RowStep {
    func run(_ strip: Strip, _ context: StepContext) {
        let (to, tiling) = (shape.to, shape.tiling)
        let addend = addend.pixels(context)
        let addresses = strip.scratch.assumingMemoryBound(to: UnsafePointer<Float>.self)
        var patches = shape.patches
        patches.window = patches.window.over(strip, shape.rows)
        patches.image_pixel_count = strip.rows.count * to.width
        patches.image_stride = patches.window.input_height * patches.window.input_row_stride
        var pixel = 0
        while pixel < patches.image_pixel_count {
            let count = min(tiling.maximumRowsPerBlock, patches.image_pixel_count - pixel)
            apus_find_patches(
                &patches, strip.inputFloats, zeros.floats, pixel, count, shape.kernel.tileRows, addresses)
            var block = apus_gemm_block(
                rows: addresses, zeros: leavesOutPadding ? zeros.floats : nil, row_count: count,
                segment_count: shape.taps, segment_length: shape.channels,
                weights: weights.floats, bias: bias.floats, column_count: tiling.columnCount,
                output: strip.outputFloats + pixel * to.pixelStride, output_stride: to.pixelStride,
                addend: addend.address(image: strip.image, pixel: strip.rows.lowerBound * to.width + pixel),
                addend_stride: addend.pixelStride, activation: shape.activation)
            shape.kernel.multiply(&block)
            pixel += count
        }
    }
}
