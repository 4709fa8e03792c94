import CPUKernels
import Graphs
import Planning
import Tensors

/// Any 2-D convolution as a product whose rows are found in the input by address: no patch is copied but at edges.
struct ImplicitGEMMLowering: Lowering {
    let name = "implicit-gemm"
    let kernel: GEMMKernel

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: ConvolutionRequest
        do { convolution = try ConvolutionRequest(request) } catch { return .decline(error.reason) }
        let operation = convolution.operation
        let columns = convolution.weights.shape[0] / operation.group
        guard columns >= 4 || operation.group == 1 else { return .decline("groups of \(columns) output channels") }
        let images = convolution.output.shape[0]
        let lanes = kernel.panelColumns / 2
        let efficiency = Double(columns) / Double((columns + lanes - 1) / lanes * lanes)
        // A picture is read as it comes, in planes.
        let isPlanar =
            request.inputLayouts[0] == .rowMajor && convolution.input.shape[1] <= 4 && operation.group == 1
            && convolution.geometry.dilations[1] == 1
        let arithmetic =
            Double(request.cost.multiplyAdds) / Double(images) / efficiency
            / kernel.instructionSet.multiplyAddsPerMicrosecond / Double(request.threadCount)
        let cost = Speed.microseconds(
            perImage: arithmetic, weightByteCount: convolution.weights.byteCount, images: images)
        let layout = PatchLayout(convolution, isPlanar: isPlanar)
        let tiling = layout.tiling(kernel, threads: request.threadCount)
        return .accept(
            Candidate(
                microseconds: cost, inputLayouts: convolution.inputLayouts(image: isPlanar ? .rowMajor : .channelsLast),
                outputLayouts: [.channelsLast], readsSlices: !isPlanar,
                scratchByteCount: layout.scratchByteCount(tiling) * request.threadCount
            ) { operands in
                let weights = try kernel.pack(
                    convolution.weights, "gemm/\(operation.group)\(isPlanar ? "/planar" : "")",
                    in: operands.packedWeights
                ) { try ConvolutionRequest.productWeights($0, group: operation.group, isPlanar: isPlanar) }
                return try ImplicitGEMMStep(
                    convolution, layout, tiling, kernel, weights: weights,
                    bias: kernel.pack(bias: convolution.bias, groups: operation.group, columns: columns),
                    zeros: Tensor(
                        [Float](repeating: 0, count: layout.segmentLength), shape: [layout.segmentLength]),
                    operands)
            })
    }
}

/// How the patches of a convolution are cut into segments of adjacent elements.
struct PatchLayout {
    let convolution: ConvolutionRequest
    let order: apus_patch_order
    let segmentCount: Int
    let segmentLength: Int

    /// Fewer channels than this are read together with their neighbours in a row of the kernel.
    private static let fewChannels = 8

    init(_ convolution: ConvolutionRequest, isPlanar: Bool) {
        self.convolution = convolution
        let (height, width) = (convolution.geometry.kernel[0], convolution.geometry.kernel[1])
        let channels = convolution.weights.shape[1]
        if isPlanar {
            (order, segmentCount, segmentLength) = (APUS_PATCH_PLANES, channels * height, width)
        } else {
            (order, segmentCount, segmentLength) = (APUS_PATCH_TAPS, height * width, channels)
        }
    }

    var depth: Int { segmentCount * segmentLength }

    /// Addresses of a block of rows, and copies of those that reach over an edge.
    func scratchByteCount(_ tiling: ProductTiling) -> Int {
        let copies = order == APUS_PATCH_TAPS ? 0 : tiling.rowsPerBlock * depth
        let bytes =
            tiling.rowsPerBlock * segmentCount * MemoryLayout<UnsafePointer<Float>>.stride
            + copies * MemoryLayout<Float>.stride
        return (bytes + 63) / 64 * 64
    }

    func tiling(_ kernel: GEMMKernel, threads: Int) -> ProductTiling {
        let geometry = convolution.geometry
        let pixels = geometry.output.reduce(1, *)
        let inputPixels = convolution.input.shape[2] * convolution.input.shape[3]
        return ProductTiling(
            rows: convolution.output.shape[0] * pixels, columns: convolution.weights.shape[0] / convolution.operation.group,
            depth: depth, rowByteCount: (inputPixels + pixels - 1) / pixels * convolution.weights.shape[1] * 4,
            segmentCount: segmentCount, kernel: kernel, threads: threads)
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
        let scratch: UnsafeMutableRawPointer
        var shape: Shape
    }

    /// Everything that does not change from run to run.
    private struct Shape: BitwiseCopyable {
        var patches: apus_patches
        let to: ImageView
        let groups: Int
        let segmentCount: Int
        let segmentLength: Int
        let paddedColumns: Int
        let tiling: ProductTiling
        let scratchByteCount: Int
        let activation: apus_activation
        let kernel: GEMMKernel

        var depth: Int { segmentCount * segmentLength }
    }

    private let input: Operand
    private let output: Operand
    private let scratch: Operand
    private let addend: ConvolutionAddend
    private let weights: Tensor
    private let bias: Tensor
    private let zeros: Tensor
    private let shape: Shape

    init(
        _ convolution: ConvolutionRequest, _ layout: PatchLayout, _ tiling: ProductTiling, _ kernel: GEMMKernel,
        weights: Tensor, bias: Tensor, zeros: Tensor, _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        output = operands.outputs[0]
        scratch = operands.scratch
        addend = ConvolutionAddend(operands)
        self.weights = weights
        self.bias = bias
        self.zeros = zeros
        let isPlanar = layout.order == APUS_PATCH_PLANES
        let from = isPlanar ? ImageView(planes: input) : ImageView(input)
        let group = convolution.operation.group
        let to = ImageView(output)
        shape = Shape(
            patches: apus_patches(
                window: apus_window(convolution.geometry, over: from), image_stride: from.imageStride,
                plane_stride: isPlanar ? from.pixelCount : 0, channels: from.channels / group,
                image_pixel_count: to.pixelCount, order: layout.order),
            to: to, groups: group, segmentCount: layout.segmentCount,
            segmentLength: layout.segmentLength, paddedColumns: kernel.paddedColumns(tiling.columnCount),
            tiling: tiling, scratchByteCount: layout.scratchByteCount(tiling),
            activation: apus_activation(convolution.operation.activation), kernel: kernel)
    }

    func run(_ context: StepContext) {
        let arguments = Arguments(
            input: context.floats(input), output: context.mutableFloats(output), addend: addend.pixels(context),
            weights: weights.floats, bias: bias.floats, zeros: zeros.floats, scratch: context.memory.mutableAddress(scratch), shape: shape)
        context.workers.run(shape.groups * shape.tiling.pieceCount, arguments) { context, index, worker in
            var it = context.load(as: Arguments.self)
            let tiling = it.shape.tiling
            let (group, number) = index.quotientAndRemainder(dividingBy: tiling.pieceCount)
            let piece = tiling.piece(number)
            let scratch = it.scratch + worker * it.shape.scratchByteCount
            let addresses = scratch.assumingMemoryBound(to: UnsafePointer<Float>.self)
            let copies = addresses + piece.rowCount * it.shape.segmentCount
            apus_find_patches(
                &it.shape.patches, it.input + group * it.shape.patches.channels, it.zeros, piece.firstRow,
                piece.rowCount, it.shape.kernel.tileRows, addresses,
                UnsafeMutableRawPointer(copies).assumingMemoryBound(to: Float.self))
            let column = group * tiling.columnCount + piece.firstColumn
            let padded = group * it.shape.paddedColumns + piece.firstColumn
            var block = apus_gemm_block(
                rows: UnsafePointer(addresses), row_count: piece.rowCount, segment_count: it.shape.segmentCount,
                segment_length: it.shape.segmentLength, weights: it.weights + padded * it.shape.depth,
                bias: it.bias + padded, column_count: piece.columnCount,
                output: it.output + piece.firstRow * it.shape.to.pixelStride + column,
                output_stride: it.shape.to.pixelStride,
                addend: it.addend.address(image: 0, pixel: piece.firstRow, channel: column),
                addend_stride: it.addend.pixelStride, activation: it.shape.activation)
            it.shape.kernel.multiply(&block)
        }
    }
}
