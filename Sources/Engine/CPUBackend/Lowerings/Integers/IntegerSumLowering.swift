import CPUKernels
import Graphs
import Planning
import Tensors

/// MatMulInteger, and 2-D ConvInteger and ConvIntegerToFloat, with weights that are part of the network: sums of
/// products of 8-bit integers, or numbers that are made of them in registers. The zero point of the input, and the
/// scale and offset of the sums, may be computed at run time.
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
        let numbers: SumScaling?
        do { numbers = try SumScaling(request) } catch { return error.answer }
        let biasByteCount = kernel.paddedColumns(columns) * MemoryLayout<Int32>.stride
        return .accept(
            Candidate(
                microseconds: product.microseconds,
                inputLayouts: [sums.layout], outputLayouts: [sums.layout], readsSlices: false, writesSlices: false,
                scratchByteCount: product.scratchByteCount + biasByteCount
            ) {
                try IntegerSumStep(product, sums.weights, weightZeroPoint: sums.weightZeroPoint, numbers, $0)
            })
    }
}

/// How sums become numbers: those of a ConvIntegerToFloat.
private struct SumScaling {
    let bias: Tensor?
    let activation: Activation?

    /// - Returns: nil where the sums are wanted.
    init?(_ request: LoweringRequest) throws(LoweringRefusal) {
        guard let operation = request.operation as? ConvIntegerToFloat else { return nil }
        bias = request.constants.optional(ConvIntegerToFloat.biasPosition)
        guard bias != nil || request.inputs.optional(ConvIntegerToFloat.biasPosition) == nil else {
            throw LoweringRefusal("the bias is computed at run time")
        }
        activation = operation.activation
    }
}

/// What these operators have in common: a convolution, in which the rows of a product are the pixels of
/// one image.
private struct IntegerSums {
    let inputShape: [Int]
    /// `[columns, depth]`, or `[channels, depth, height, width]`.
    let weights: Tensor
    let geometry: SpatialWindow.Geometry
    let layout: Layout
    let weightZeroPoint: Int32

    init(_ request: LoweringRequest) throws(LoweringRefusal) {
        let integers = (request.operation as? ConvIntegerToFloat)?.sums ?? request.operation as? ConvInteger
        guard integers != nil || request.operation is MatMulInteger else { throw .otherOperator }
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
        if let integers {
            guard input.rank == 4 else { throw LoweringRefusal("\(input.rank - 2) spatial axes, not 2") }
            convolution = integers.convolution
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
    private let numbers: Numbers?

    /// What makes numbers of the sums. Both rows have an element for each column of the packed weights.
    private struct Numbers {
        let scale: Operand
        let offset: Operand?
        let ones, bias: Tensor
        let activation: apus_activation
    }

    init(
        _ product: IntegerProduct, _ weights: Tensor, weightZeroPoint: Int32, _ scaling: SumScaling?,
        _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        zeroPoint = try operands.optionalInput(2)
        output = operands.outputs[0]
        scratch = operands.scratch
        let columns = weights.shape[0]
        self.columns = columns
        numbers = try scaling.map { scaling in
            let padding = [Float](repeating: 0, count: product.kernel.paddedColumns(columns) - columns)
            func row(_ numbers: [Float]) throws -> Tensor {
                try Tensor(numbers + padding, shape: [columns + padding.count])
            }
            return Numbers(
                scale: try operands.input(ConvIntegerToFloat.scalePosition),
                offset: try operands.optionalInput(ConvIntegerToFloat.offsetPosition),
                ones: try row([Float](repeating: 1, count: columns)),
                bias: try row(
                    scaling.bias?.elements(as: Float.self) ?? [Float](repeating: 0, count: columns)),
                activation: apus_activation(scaling.activation))
        }
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
        var conversion = apus_dequantization()
        if let numbers {
            if let offset = numbers.offset {
                let offsets = context.memory.address(offset).assumingMemoryBound(to: Int32.self)
                for column in 0..<columns { bias[column] &+= offsets[column] }
            }
            conversion = apus_dequantization(
                output: context.mutableFloats(output),
                row_scales: context.memory.address(numbers.scale).assumingMemoryBound(to: Float.self),
                row_scale_step: 0, scales: numbers.ones.floats, bias: numbers.bias.floats, addend: nil,
                activation: numbers.activation)
        }
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
            sums: numbers == nil
                ? context.memory.mutableAddress(output).assumingMemoryBound(to: Int32.self) : nil,
            numbers: conversion, output_stride: columns,
            scratch: memory, scratch_byte_count: 0)
        product.run(whole, context)
    }
}
