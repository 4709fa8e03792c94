import CPUKernels
import Graphs
import Planning
import Tensors

/// MatMulInteger and 2-D ConvInteger with weights that are part of the network: sums of products of 8-bit integers. The
/// zero point of the input may be computed at run time.
struct IntegerSumLowering: Lowering {
    let name = "integer-sums"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard request.operation is MatMulInteger || request.operation is ConvInteger else {
            return .decline("not MatMulInteger or ConvInteger")
        }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        guard let constant = request.constants[1] else { return .decline("weights are computed at run time") }
        guard input.elementCount > 0, output.elementCount > 0 else { return .decline("a value is empty") }
        guard [input, output, TensorType(constant)].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            return .decline("extents exceed integers of 32 bits")
        }
        if let zeroPoint = request.inputs.count > 2 ? request.inputs[2] : nil {
            guard zeroPoint.elementCount == 1 else { return .decline("each row has its own zero point") }
            guard zeroPoint.elementType == input.elementType else { return .decline("element types differ") }
        }
        var weightZeroPoint: Int32 = 0
        if request.inputs.count > 3, request.inputs[3] != nil {
            guard let points = request.constants[3]?.elements(as: Int32.self), let point = points.first,
                points.allSatisfy({ $0 == point })
            else { return .decline("each column has its own zero point") }
            weightZeroPoint = point
        }
        let (inputShape, weights, convolution): ([Int], Tensor, Conv)
        let layout: Layout
        if let operation = request.operation as? ConvInteger {
            guard input.rank == 4 else { return .decline("\(input.rank - 2) spatial axes, not 2") }
            guard operation.convolution.group == 1 else { return .decline("\(operation.convolution.group) groups") }
            (inputShape, weights, convolution, layout) = (input.shape, constant, operation.convolution, .channelsLast)
        } else {
            guard constant.shape.count == 2, let depth = input.shape.last,
                let turned = try? constant.transposed([1, 0])
            else { return .decline("weights are a stack of matrices") }
            // Rows are the pixels of one image.
            inputShape = [1, depth, 1, input.elementCount / depth]
            (weights, convolution, layout) = (turned, Conv(), .rowMajor)
        }
        let taps = Array(weights.shape.dropFirst(2)) + (weights.shape.count == 2 ? [1, 1] : [])
        // 255 · 255 · 2¹⁵ is just below 2³¹.
        guard weights.shape[1...].reduce(1, *) <= 1 << 15 else { return .decline("sums may exceed 32 bits") }
        guard let geometry = try? convolution.geometry(x: inputShape, w: Array(weights.shape.prefix(2)) + taps) else {
            return .decline("the window does not fit")
        }
        let kernel = IntegerKernel(
            instructionSet,
            multipliesBytes: IntegerKernel.fitsBytes(weights.elementType, zeroPoint: weightZeroPoint))
        let columns = weights.shape[0]
        let product = IntegerProduct(
            kernel, geometry, inputShape: inputShape, columns: columns, threadCount: request.threadCount)
        guard let product else { return .decline("rows do not fit in scratch memory") }
        let biasByteCount = kernel.paddedColumns(columns) * MemoryLayout<Int32>.stride
        return .accept(
            Candidate(
                microseconds: product.microseconds,
                inputLayouts: [layout], outputLayouts: [layout], readsSlices: false, writesSlices: false,
                scratchByteCount: product.scratchByteCount + biasByteCount
            ) { [weightZeroPoint] in try IntegerSumStep(product, weights, weightZeroPoint: weightZeroPoint, $0) })
    }
}

private struct IntegerSumStep: Step {
    private let input: Operand
    private let zeroPoint: Operand?
    private let output: Operand
    private let scratch: Operand
    private let weights: Tensor
    private let columns: Int
    private let product: IntegerProduct

    init(_ product: IntegerProduct, _ weights: Tensor, weightZeroPoint: Int32, _ operands: StepOperands) throws {
        input = try operands.input(0)
        zeroPoint = try operands.optionalInput(2)
        output = operands.outputs[0]
        scratch = operands.scratch
        columns = weights.shape[0]
        self.weights = try product.pack(weights, zeroPoint: weightZeroPoint, in: operands.packedWeights)
        self.product = product
    }

    func run(_ context: StepContext) {
        let isSigned = input.elementType == .int8
        var point: Int32 = 0
        if let zeroPoint {
            let byte = context.bytes(zeroPoint)[0]
            point = isSigned ? Int32(Int8(bitPattern: byte)) : Int32(byte)
        }
        let memory = context.memory.mutableAddress(scratch)
        let bias = (memory + product.scratchByteCount).assumingMemoryBound(to: Int32.self)
        product.kernel.fillBias(bias, packed: weights, columns: columns, zeroPoint: point, isSigned: isSigned)
        let (channels, width) = (product.inputShape[1], product.inputShape[3])
        var window = apus_window(product.geometry, shape: product.inputShape)
        window.input_pixel_stride = channels
        window.input_row_stride = width * channels
        let whole = apus_integer_convolution(
            window: window, input: context.bytes(input), image_stride: product.inputShape[2] * width * channels,
            image_pixel_count: product.geometry.output.reduce(1, *), channel_count: channels,
            is_signed: isSigned ? 1 : 0, zero_point: point,
            weights: weights.firstElement.assumingMemoryBound(to: UInt8.self), bias: bias, column_count: 0,
            first: 0, count: 0, requantization: apus_requantization(),
            output: context.mutableBytes(output),
            sums: context.memory.mutableAddress(output).assumingMemoryBound(to: Int32.self), output_stride: columns,
            scratch: memory, scratch_byte_count: 0)
        product.run(whole, context)
    }
}
