import CPUKernels
import Graphs
import Planning
import Tensors

/// A convolution of 8-bit integers as a product of patches or of tiles.
struct IntegerConvolutionStep: Step {
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
        weights = try product.pack(
            convolution.weights, zeroPoint: operation.weightZeroPoint, in: operands.packedWeights)
        let values = product.bias(
            convolution.bias, packed: weights, zeroPoint: operation.inputZeroPoint,
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
            bias: bias.firstElement.assumingMemoryBound(to: Int32.self), column_count: 0, first: 0, count: 0,
            requantization: requantization.cValue, output: context.mutableBytes(output), sums: nil,
            numbers: apus_dequantization(),
            output_stride: to.pixelStride, scratch: context.memory.mutableAddress(scratch), scratch_byte_count: 0)
        product.run(whole, context)
    }
}
