import CPUKernels
import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers as a product of patches with packed weights. Some input rows are widened at a time,
/// and patches are runs of them.
struct IntegerGEMMLowering: Lowering {
    let name = "integer-gemm"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        let convolution: IntegerConvolutionRequest
        do { convolution = try IntegerConvolutionRequest(request) } catch { return .decline(error.reason) }
        let operation = convolution.operation
        guard operation.convolution.group == 1 else { return .decline("\(operation.convolution.group) groups") }
        let kernel = IntegerKernel(
            instructionSet,
            multipliesBytes: IntegerKernel.fitsBytes(
                convolution.weights.elementType, zeroPoint: operation.weightZeroPoint))
        let product = IntegerProduct(
            kernel, convolution.geometry, inputShape: convolution.input.shape, columns: convolution.weights.shape[0],
            threadCount: request.threadCount)
        guard let product else { return .decline("rows do not fit in scratch memory") }
        return .accept(
            Candidate(
                microseconds: product.microseconds(request.cost, weightByteCount: convolution.weights.byteCount),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                scratchByteCount: product.scratchByteCount
            ) { try IntegerGEMMStep(convolution, product, $0) })
    }
}

private struct IntegerGEMMStep: Step {
    private let input: Operand
    private let output: Operand
    private let scratch: Operand
    private let weights: Tensor
    private let bias: Tensor
    private let requantization: IntegerRequantization
    private let inputZeroPoint: Int32
    private let product: IntegerProduct

    init(_ convolution: IntegerConvolutionRequest, _ product: IntegerProduct, _ operands: StepOperands) throws {
        let operation = convolution.operation
        let columns = convolution.weights.shape[0]
        input = try operands.input(0)
        output = operands.outputs[0]
        scratch = operands.scratch
        weights = try product.kernel.pack(
            convolution.weights, runCount: product.runCount, zeroPoint: operation.weightZeroPoint,
            in: operands.packedWeights)
        let values = product.kernel.bias(
            convolution.bias, packed: weights, columns: columns, zeroPoint: operation.inputZeroPoint,
            isSigned: convolution.input.elementType == .int8)
        bias = try Tensor(values, shape: [values.count])
        requantization = try IntegerRequantization(
            operation.requantization, columns: columns, paddedTo: product.kernel.paddedColumns(columns))
        inputZeroPoint = operation.inputZeroPoint
        self.product = product
    }

    func run(_ context: StepContext) {
        let (from, to) = (ImageView(input), ImageView(output))
        let whole = apus_integer_convolution(
            window: apus_window(product.geometry, over: from), input: context.bytes(input),
            image_stride: from.imageStride, image_pixel_count: to.pixelCount, channel_count: from.channels,
            is_signed: input.elementType == .int8 ? 1 : 0, zero_point: inputZeroPoint,
            weights: weights.firstElement.assumingMemoryBound(to: UInt8.self),
            bias: bias.firstElement.assumingMemoryBound(to: Int32.self), column_count: 0, first_pixel: 0,
            pixel_count: 0, requantization: requantization.cValue, output: context.mutableBytes(output), sums: nil,
            output_stride: to.pixelStride, scratch: context.memory.mutableAddress(scratch), scratch_byte_count: 0)
        product.run(whole, context)
    }
}
