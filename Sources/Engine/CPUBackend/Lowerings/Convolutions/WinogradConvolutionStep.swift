import CPUKernels
import Planning
import Tensors

struct WinogradConvolutionStep: Step {
    private struct Arguments: BitwiseCopyable {
        var layer: apus_winograd_layer
        var run: apus_winograd_run
        let scratch: UnsafeMutablePointer<Float>
        let tiling: WinogradPartition
        let parts: WinogradScratch
        let functions: apus_winograd_kernel
    }

    private let input: Operand
    private let output: Operand
    private let addend: ConvolutionAddend
    private let scratch: Operand
    private let weights: Tensor
    private let bias: Tensor
    private let zeros: Tensor
    private let phases: [Phase]
    private let parts: WinogradScratch
    private let functions: apus_winograd_kernel

    /// A part of the outputs, and where it begins in each value.
    private struct Phase {
        let layer: apus_winograd_layer
        let tiling: WinogradPartition
        let inputStart: Int
        let addendStart: Int
        let outputStart: Int
    }

    init(
        _ geometry: WinogradConvolutionLowering.Geometry, _ phases: [WinogradPhase], _ parts: WinogradScratch,
        _ kernel: WinogradKernel, weights: Tensor, bias: Tensor, _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        output = operands.outputs[0]
        addend = try ConvolutionAddend(operands)
        scratch = operands.scratch
        self.weights = weights
        self.bias = bias
        zeros = try Tensor([Float](repeating: 0, count: geometry.inputChannels), shape: [geometry.inputChannels])
        self.parts = parts
        functions = kernel.functions(reading: input.elementType, writing: output.elementType)
        let isTransposed = geometry.isTransposed
        let from = TileView(ImageView(input), isTransposed: isTransposed)
        let to = TileView(ImageView(output), isTransposed: isTransposed)
        let added = addend.view.map { TileView($0, isTransposed: isTransposed) }
        let (rowDistance, columnDistance) = (geometry.rowDilation, geometry.columnDilation)
        self.phases = phases.map { phase in
            let (row, column) = (phase.row, phase.column)
            let layer = apus_winograd_layer(
                input_height: row.inputCount, input_width: column.inputCount, input_channels: geometry.inputChannels,
                input_image_stride: from.imageStride, input_row_stride: from.rowStride * rowDistance,
                input_pixel_stride: from.pixelStride * columnDistance, output_height: row.outputCount,
                output_width: column.outputCount, output_channels: geometry.outputChannels,
                output_image_stride: to.imageStride, output_row_stride: to.rowStride * rowDistance,
                output_pixel_stride: to.pixelStride * columnDistance, addend_image_stride: added?.imageStride ?? 0,
                addend_row_stride: (added?.rowStride ?? 0) * rowDistance,
                addend_pixel_stride: (added?.pixelStride ?? 0) * columnDistance, padding_top: row.padding,
                padding_left: column.padding,
                activation: apus_activation(geometry.convolution.operation.activation),
                transforms_weights: phase.tiling.transformsWeights ? 1 : 0)
            return Phase(
                layer: layer, tiling: phase.tiling, inputStart: from.position(row.inputStart, column.inputStart),
                addendStart: added?.position(row.outputStart, column.outputStart) ?? 0,
                outputStart: to.position(row.outputStart, column.outputStart))
        }
    }

    /// An image's strides, with the axes exchanged where the filter is a column.
    private struct TileView {
        let imageStride: Int
        let rowStride: Int
        let pixelStride: Int

        init(_ view: ImageView, isTransposed: Bool) {
            (rowStride, pixelStride) =
                isTransposed ? (view.pixelStride, view.rowStride) : (view.rowStride, view.pixelStride)
            imageStride = view.imageStride
        }

        func position(_ row: Int, _ pixel: Int) -> Int { row * rowStride + pixel * pixelStride }
    }

    func run(_ context: StepContext) {
        for phase in phases { run(phase, context) }
    }

    private func run(_ phase: Phase, _ context: StepContext) {
        let (layer, tiling) = (phase.layer, phase.tiling)
        let start = context.mutableFloats(scratch)
        var arguments = Arguments(
            layer: layer,
            run: apus_winograd_run(
                input: context.elements(input, from: phase.inputStart), zeros: zeros.floats, weights: weights.floats,
                bias: bias.floats, addend: addend.operand.map { context.elements($0, from: phase.addendStart) },
                output: context.mutableElements(output, from: phase.outputStart), transformed: start,
                first_tile: 0, tile_count: 0),
            scratch: start + parts.sharedCount, tiling: tiling, parts: parts, functions: functions)
        for index in 0..<tiling.runCount {
            let tiles = tiling.tiles(run: index)
            arguments.run.first_tile = tiles.lowerBound
            arguments.run.tile_count = tiles.count
            if tiling.isFused {
                context.workers.run(tiling.blockCount, arguments, Self.transformAndMultiplyBlock)
            } else {
                let pieces = tiling.transformPieces(tiles: tiles.count, channels: layer.input_channels)
                context.workers.run(pieces, arguments, Self.transformPiece)
                context.workers.run(tiling.panelCount * tiling.blockCount, arguments, Self.multiplyPiece)
            }
        }
    }

    /// Transforms, multiplies and transforms back one block of tiles.
    private static let transformAndMultiplyBlock: WorkerFunction = { context, index, worker in
        var it = context.load(as: Arguments.self)
        let block = it.tiling.block(index, of: it.run.tile_count)
        it.run.first_tile += block.lowerBound
        it.run.tile_count = block.count
        it.run.transformed = it.scratch + worker * it.parts.threadCount
        it.functions.transform(&it.layer, &it.run, 0, block.count, 0, it.layer.input_channels)
        it.functions.multiply(
            &it.layer, &it.run, 0, block.count, 0, it.tiling.panelCount, it.run.transformed + it.parts.transformedCount)
    }

    /// Transforms some channels of some tiles of a run.
    private static let transformPiece: WorkerFunction = { context, index, _ in
        var it = context.load(as: Arguments.self)
        let channels = it.layer.input_channels
        let channelPieces = it.tiling.channelPieces(channels)
        let (tilePiece, channelPiece) = index.quotientAndRemainder(dividingBy: channelPieces)
        let first = tilePiece * it.tiling.tilesPerTransform
        let firstChannel = channelPiece * it.tiling.channelsPerTransform
        it.functions.transform(
            &it.layer, &it.run, first, min(it.tiling.tilesPerTransform, it.run.tile_count - first), firstChannel,
            min(channels, firstChannel + it.tiling.channelsPerTransform))
    }

    /// Multiplies one panel of output channels with one block of a run's tiles. Blocks of a panel follow one another,
    /// so that threads share the weights that they stream.
    private static let multiplyPiece: WorkerFunction = { context, index, worker in
        var it = context.load(as: Arguments.self)
        let (panel, block) = index.quotientAndRemainder(dividingBy: it.tiling.blockCount)
        let tiles = it.tiling.block(block, of: it.run.tile_count)
        it.functions.multiply(
            &it.layer, &it.run, tiles.lowerBound, tiles.count, panel, panel + 1,
            it.scratch + worker * it.parts.threadCount)
    }
}
