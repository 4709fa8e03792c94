import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution whose groups are smaller than a vector, on the kernel for one filter per channel.
///
/// The inputs of each output channel are copied to its own lane, one after another: row y · G + k of the copy has input
/// k of G of each group. The rows of a window then lie below each other, as those of a kernel with G · height rows.
struct GroupedConvolutionLowering: Lowering {
    let name = "grouped"

    /// The maximum numbers of input and output channels of a group.
    private static let maximumGroup = 8

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        let group = convolution.operation.group
        let (inputs, outputs) = (convolution.weights.shape[1], convolution.weights.shape[0] / group)
        guard group > 1, !convolution.isDepthwise else { return .decline("not a convolution in groups") }
        guard inputs <= Self.maximumGroup, outputs <= Self.maximumGroup else {
            return .decline("groups of \(inputs) and \(outputs) channels")
        }
        guard inputs == 1 || convolution.geometry.dilations[0] == 1 else { return .decline("a dilated height") }
        guard let kernel = apus_depthwise_kernel_for(InstructionSet.chosen.cValue)?.pointee else {
            return .decline("no kernel for \(InstructionSet.chosen)")
        }
        let shape = GroupedConvolutionStep.Shape(convolution, groupInputs: inputs, groupOutputs: outputs)
        // Every copied element is read once for each tap.
        let taps = Double(convolution.geometry.kernel.reduce(1, *))
        let cost = Speed.microseconds(
            request.cost, multiplyAddsPerMicrosecond: 22_000 * taps / (taps + 2), threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast],
                scratchByteCount: shape.scratchElementCount * MemoryLayout<Float>.stride * request.threadCount
            ) { operands in
                // [M, G, kh, kw] → [kh · G · kw][M]
                let weights = try operands.packedWeights.tensor(convolution.weights, packing: "grouped") {
                    try $0.transposed([2, 1, 3, 0]).contiguous()
                }
                return GroupedConvolutionStep(
                    convolve: kernel.convolve, operands: operands, input: try operands.input(0), weights: weights,
                    bias: try convolution.contiguousBias(), addend: try ConvolutionAddend(operands),
                    geometry: convolution.geometry, shape: shape,
                    activation: apus_activation(convolution.operation.activation))
            })
    }
}

private struct GroupedConvolutionStep: Step {
    /// The sizes of the pieces of work, and of the copies that they make.
    struct Shape: BitwiseCopyable {
        let groupInputs: Int
        let groupOutputs: Int
        let tiling: ChannelPartition
        /// The maximum rows and channels of a copy.
        private let rows: Int
        private let channels: Int
        private let width: Int

        init(_ convolution: ConvolutionRequest, groupInputs: Int, groupOutputs: Int) {
            self.groupInputs = groupInputs
            self.groupOutputs = groupOutputs
            let geometry = convolution.geometry
            let tiling = ChannelPartition(
                rowCount: geometry.output[0], channelCount: convolution.weights.shape[0],
                maximumChannels: 48 / groupInputs)
            self.tiling = tiling
            let tiles = (0..<tiling.tileCount).map { tiling.tile($0) }
            let outputRows = tiles.map(\.rows.count).max() ?? 0
            rows = min(
                convolution.input.shape[2],
                (outputRows - 1) * geometry.strides[0] + (geometry.kernel[0] - 1) * geometry.dilations[0] + 1)
            channels = tiles.map(\.channels.count).max() ?? 0
            width = convolution.input.shape[3]
        }

        /// The number of floats of one thread's copy.
        var scratchElementCount: Int { (rows * groupInputs * width * channels + 15) / 16 * 16 }
    }

    private struct Arguments: BitwiseCopyable {
        let convolve: @convention(c) (UnsafePointer<apus_depthwise_block>) -> Void
        /// The block that is the whole first image, over the input.
        let image: apus_depthwise_block
        let inputStride: Int
        let outputStride: Int
        let addendStride: Int
        let scratch: UnsafeMutablePointer<Float>
        let shape: Shape
    }

    private let convolve: @convention(c) (UnsafePointer<apus_depthwise_block>) -> Void
    private let input: Operand
    private let output: Operand
    private let scratch: Operand
    private let weights: Tensor
    private let bias: Tensor?
    private let addend: ConvolutionAddend
    private let from: ImageView
    private let to: ImageView
    private let window: apus_window
    private let shape: Shape
    private let activation: apus_activation

    init(
        convolve: @escaping @convention(c) (UnsafePointer<apus_depthwise_block>) -> Void, operands: StepOperands,
        input: Operand, weights: Tensor, bias: Tensor?, addend: ConvolutionAddend, geometry: SpatialWindow.Geometry,
        shape: Shape, activation: apus_activation
    ) {
        self.convolve = convolve
        self.input = input
        output = operands.outputs[0]
        scratch = operands.scratch
        self.weights = weights
        self.bias = bias
        self.addend = addend
        from = ImageView(input)
        to = ImageView(operands.outputs[0])
        window = apus_window(geometry, over: from)
        self.shape = shape
        self.activation = activation
    }

    func run(_ context: StepContext) {
        let addend = addend.pixels(context)
        let image = apus_depthwise_block(
            window: window, input: context.floats(input), channel_count: to.channels, weights: weights.floats,
            tap_stride: to.channels, bias: bias?.floats, addend: addend.start,
            addend_row_stride: addend.pixelStride * to.width, addend_pixel_stride: addend.pixelStride,
            activation: activation, first_row: 0, last_row: to.height, output: context.mutableFloats(output),
            output_row_stride: to.rowStride, output_pixel_stride: to.pixelStride)
        let arguments = Arguments(
            convolve: convolve, image: image, inputStride: from.imageStride, outputStride: to.imageStride,
            addendStride: addend.imageStride, scratch: context.mutableFloats(scratch), shape: shape)
        context.workers.run(to.count * shape.tiling.tileCount, arguments) { context, index, worker in
            let it = context.load(as: Arguments.self)
            let (image, number) = index.quotientAndRemainder(dividingBy: it.shape.tiling.tileCount)
            let tile = it.shape.tiling.tile(number)
            let channel = tile.channels.lowerBound
            var block = it.image
            block.input += image * it.inputStride
            block.output += image * it.outputStride + channel
            block.weights += channel
            if let bias = block.bias { block.bias = bias + channel }
            if let addend = block.addend { block.addend = addend + image * it.addendStride + channel }
            block.channel_count = tile.channels.count
            GroupedConvolutionStep.convolve(
                &block, tile, it.shape, it.convolve, it.scratch + worker * it.shape.scratchElementCount)
        }
    }

    /// Copies the input rows that a tile reads, and convolves them.
    private static func convolve(
        _ block: inout apus_depthwise_block, _ tile: (rows: Range<Int>, channels: Range<Int>), _ shape: Shape,
        _ convolve: @convention(c) (UnsafePointer<apus_depthwise_block>) -> Void,
        _ copy: UnsafeMutablePointer<Float>
    ) {
        let (window, groupInputs, count) = (block.window, shape.groupInputs, tile.channels.count)
        let top = tile.rows.lowerBound * window.stride_height - window.padding_top
        let bottom =
            (tile.rows.upperBound - 1) * window.stride_height - window.padding_top
            + (window.kernel_height - 1) * window.dilation_height + 1
        let first = min(max(top, 0), window.input_height)
        let last = max(first, min(bottom, window.input_height))
        let rowLength = window.input_width * count
        for row in first..<last {
            for k in 0..<groupInputs {
                apus_spread_group_inputs(
                    block.input + row * window.input_row_stride, window.input_pixel_stride, window.input_width,
                    groupInputs, shape.groupOutputs, k, tile.channels.lowerBound, count,
                    copy + ((row - first) * groupInputs + k) * rowLength)
            }
        }
        block.input = UnsafePointer(copy)
        block.window.input_height = (last - first) * groupInputs
        block.window.input_row_stride = rowLength
        block.window.input_pixel_stride = count
        block.window.kernel_height *= groupInputs
        block.window.stride_height *= groupInputs
        // Row 0 of the copy is row `first` of the image, and row 0 of the block's output is the tile's first.
        block.window.padding_top = (first - top) * groupInputs
        block.first_row = 0
        block.last_row = tile.rows.count
        block.output += tile.rows.lowerBound * block.output_row_stride
        if let addend = block.addend { block.addend = addend + tile.rows.lowerBound * block.addend_row_stride }
        convolve(&block)
    }
}
