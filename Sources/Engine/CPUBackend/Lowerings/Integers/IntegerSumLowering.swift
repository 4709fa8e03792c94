import CPUKernels
import Graphs
import Planning
import Tensors

/// MatMulInteger and 2-D ConvInteger with weights that are part of the network: sums of products of 8-bit integers. The
/// zero point of the input may be computed at run time.
struct IntegerSumLowering: Lowering {
    let name = "integer-sums"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let sums: IntegerSums
        do { sums = try IntegerSums(request) } catch { return error.answer }
        let kernel = IntegerKernel(
            instructionSet,
            multipliesBytes: IntegerKernel.fitsBytes(sums.weights.elementType, zeroPoint: sums.weightZeroPoint))
        let columns = sums.weights.shape[0]
        let product = IntegerProduct(
            kernel, sums.geometry, inputShape: sums.inputShape, columns: columns, threadCount: request.threadCount)
        guard let product else { return .decline("rows do not fit in scratch memory") }
        let biasByteCount = kernel.paddedColumns(columns) * MemoryLayout<Int32>.stride
        return .accept(
            Candidate(
                microseconds: product.microseconds,
                inputLayouts: [sums.layout], outputLayouts: [sums.layout], readsSlices: false, writesSlices: false,
                scratchByteCount: product.scratchByteCount + biasByteCount
            ) { try IntegerSumStep(product, sums.weights, weightZeroPoint: sums.weightZeroPoint, $0) })
    }
}

/// What MatMulInteger and ConvInteger have in common: a convolution, in which the rows of a product are the pixels of
/// one image.
private struct IntegerSums {
    let inputShape: [Int]
    /// `[columns, depth]`, or `[channels, depth, height, width]`.
    let weights: Tensor
    let geometry: SpatialWindow.Geometry
    let layout: Layout
    let weightZeroPoint: Int32

    init(_ request: LoweringRequest) throws(LoweringRefusal) {
        guard request.operation is MatMulInteger || request.operation is ConvInteger else {
            throw .otherOperator
        }
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            throw LoweringRefusal("an operand is missing")
        }
        guard let constant = request.constants[1] else { throw LoweringRefusal("weights are computed at run time") }
        guard input.elementCount > 0, output.elementCount > 0 else { throw LoweringRefusal("a value is empty") }
        guard [input, output, TensorType(constant)].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            throw LoweringRefusal("extents exceed integers of 32 bits")
        }
        weightZeroPoint = try Self.weightZeroPoint(request, input)
        let convolution: Conv
        if let operation = request.operation as? ConvInteger {
            guard input.rank == 4 else { throw LoweringRefusal("\(input.rank - 2) spatial axes, not 2") }
            convolution = operation.convolution
            guard convolution.group == 1 else { throw LoweringRefusal("\(convolution.group) groups") }
            (inputShape, weights, layout) = (input.shape, constant, .channelsLast)
        } else {
            guard constant.shape.count == 2, let depth = input.shape.last,
                let turned = try? constant.transposed([1, 0])
            else { throw LoweringRefusal("weights are a stack of matrices") }
            inputShape = [1, depth, 1, input.elementCount / depth]
            (weights, convolution, layout) = (turned, Conv(), .rowMajor)
        }
        // 255 · 255 · 2¹⁵ is just below 2³¹.
        guard weights.shape[1...].reduce(1, *) <= 1 << 15 else { throw LoweringRefusal("sums may exceed 32 bits") }
        let taps = Array(weights.shape.dropFirst(2)) + (weights.shape.count == 2 ? [1, 1] : [])
        guard let geometry = try? convolution.geometry(x: inputShape, w: Array(weights.shape.prefix(2)) + taps) else {
            throw LoweringRefusal("the window does not fit")
        }
        self.geometry = geometry
    }

    /// The zero point of all weights, after a check of the input's.
    private static func weightZeroPoint(
        _ request: LoweringRequest, _ input: TensorType
    ) throws(LoweringRefusal) -> Int32 {
        if let zeroPoint = request.inputs.optional(2) {
            guard zeroPoint.elementCount == 1 else { throw LoweringRefusal("each row has its own zero point") }
            guard zeroPoint.elementType == input.elementType else { throw LoweringRefusal("element types differ") }
        }
        guard request.inputs.optional(3) != nil else { return 0 }
        guard let points = request.constants[3]?.elements(as: Int32.self), let point = points.first,
            points.allSatisfy({ $0 == point })
        else { throw LoweringRefusal("each column has its own zero point") }
        return point
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
            sums: context.memory.mutableAddress(output).assumingMemoryBound(to: Int32.self),
            numbers: apus_dequantization(), output_stride: columns,
            scratch: memory, scratch_byte_count: 0)
        product.run(whole, context)
    }
}
