import CPUKernels
import Graphs
import Planning
import Tensors

/// QuantizedMatMul with weights that are part of the network: a pass that quantizes the rows, then a product of 8-bit
/// integers whose sums become numbers in registers.
///
/// Sums are exact, and each row has a scale of its own unless the file says otherwise. So the bits of a row depend on
/// no other row.
struct QuantizedProductLowering: Lowering {
    let name = "quantized-gemm"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? QuantizedMatMul else { return .otherOperator }
        guard let input = request.inputs[0], let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        guard let weights = request.constants.optional(1),
            let scales = request.constants.optional(QuantizedMatMul.scalePosition)
        else {
            return .decline("weights are computed at run time")
        }
        let bias = request.constants.optional(QuantizedMatMul.biasPosition)
        guard bias != nil || request.inputs.optional(QuantizedMatMul.biasPosition) == nil else {
            return .decline("the bias is computed at run time")
        }
        guard input.elementCount > 0, output.elementCount > 0 else { return .decline("a value is empty") }
        guard [input, output, TensorType(weights)].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            return .decline("extents exceed integers of 32 bits")
        }
        let (depth, columns) = (weights.shape[0], weights.shape[1])
        // 255 · 255 · 2¹⁵ is just below 2³¹.
        guard depth <= 1 << 15 else { return .decline("sums may exceed 32 bits") }
        let rows = input.elementCount / depth
        let kernel = IntegerKernel(
            instructionSet,
            multipliesBytes: IntegerKernel.fitsBytes(weights.elementType, zeroPoint: operation.weightZeroPoint))
        let shape = [1, depth, rows, 1]
        guard let geometry = try? Conv().geometry(x: shape, w: [columns, depth, 1, 1]),
            let product = IntegerProduct(
                kernel, geometry, inputShape: shape, columns: columns, threadCount: request.threadCount)
        else { return .decline("rows do not fit in scratch memory") }
        let hasAddend = request.inputs.optional(QuantizedMatMul.addendPosition) != nil
        let pass = RowQuantization(operation.quantization, input, rows: rows, depth: depth)
        let layout = QuantizedProductScratch(product, pass, columns: columns)
        return .accept(
            Candidate(
                microseconds: product.microseconds + pass.microseconds(threads: request.threadCount),
                inputLayouts: hasAddend ? [.rowMajor, nil, nil, nil, .rowMajor] : [.rowMajor],
                outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false,
                sharing: hasAddend ? .overwriting(input: QuantizedMatMul.addendPosition) : nil,
                scratchByteCount: layout.byteCount
            ) { operands in
                try QuantizedProductStep(
                    operation, product, pass, layout, weights: weights, scales: scales, bias: bias,
                    addend: hasAddend ? try operands.input(QuantizedMatMul.addendPosition) : nil, operands)
            })
    }
}

/// Where the parts of the scratch memory begin, in bytes.
private struct QuantizedProductScratch: BitwiseCopyable {
    let integers: Int
    let rowScales: Int
    let bias: Int
    let ranges: Int
    let byteCount: Int

    init(_ product: IntegerProduct, _ pass: RowQuantization, columns: Int) {
        func after(_ start: Int, _ byteCount: Int) -> Int { (start + byteCount + 63) / 64 * 64 }
        integers = product.scratchByteCount
        rowScales = after(integers, pass.integerCount)
        bias = after(rowScales, pass.scaleCount * MemoryLayout<Float>.stride)
        ranges = after(bias, product.kernel.paddedColumns(columns) * MemoryLayout<Int32>.stride)
        byteCount = after(ranges, pass.pieceCount * MemoryLayout<RowQuantization.Range>.stride)
    }
}

private struct QuantizedProductStep: Step {
    private let input: Operand
    private let addend: Operand?
    private let output: Operand
    private let scratch: Operand
    private let weights: Tensor
    private let columns: Int
    /// The bias of the sums, which takes off what the zero point adds; nil where the zero point is found at run time.
    private let sumBias: Tensor?
    private let scales: Tensor
    private let bias: Tensor
    private let product: IntegerProduct
    private let pass: RowQuantization
    private let layout: QuantizedProductScratch
    private let activation: apus_activation

    init(
        _ operation: QuantizedMatMul, _ product: IntegerProduct, _ pass: RowQuantization,
        _ layout: QuantizedProductScratch, weights: Tensor, scales: Tensor, bias: Tensor?, addend: Operand?,
        _ operands: StepOperands
    ) throws {
        input = try operands.input(0)
        output = operands.outputs[0]
        scratch = operands.scratch
        self.addend = addend
        let columns = weights.shape[1]
        self.columns = columns
        let packed = try product.pack(
            try weights.transposed([1, 0]), zeroPoint: operation.weightZeroPoint, in: operands.packedWeights)
        let padded = product.kernel.paddedColumns(columns)
        func row(_ tensor: Tensor?) throws -> Tensor {
            let numbers = tensor?.elements(as: Float.self) ?? [0]
            let all = (0..<columns).map { numbers[numbers.count == 1 ? 0 : $0] }
            return try Tensor(all + [Float](repeating: 0, count: padded - columns), shape: [padded])
        }
        self.scales = try row(scales)
        self.bias = try row(bias)
        sumBias = try pass.zeroPoint.map { zeroPoint in
            try Tensor(
                product.bias(nil, packed: packed, zeroPoint: zeroPoint, isSigned: pass.isSigned), shape: [padded])
        }
        self.weights = packed
        self.product = product
        self.pass = pass
        self.layout = layout
        activation = apus_activation(operation.activation)
    }

    func run(_ context: StepContext) {
        let memory = context.memory.mutableAddress(scratch)
        let rowScales = (memory + layout.rowScales).assumingMemoryBound(to: Float.self)
        let ranges = (memory + layout.ranges).assumingMemoryBound(to: RowQuantization.Range.self)
        let bytes = (memory + layout.integers).assumingMemoryBound(to: UInt8.self)
        let zeroPoint = pass.run(input, bytes, rowScales, ranges, context)
        let computed = (memory + layout.bias).assumingMemoryBound(to: Int32.self)
        if sumBias == nil {
            product.kernel.fillBias(
                computed, packed: weights, columns: columns, zeroPoint: zeroPoint, isSigned: pass.isSigned)
        }
        let depth = product.inputShape[1]
        var window = apus_window(product.geometry, shape: product.inputShape)
        window.input_pixel_stride = depth
        window.input_row_stride = depth
        let whole = apus_integer_convolution(
            window: window, input: pass.integerCount == 0 ? context.bytes(input) : UnsafePointer(bytes),
            image_stride: product.inputShape[2] * depth,
            image_pixel_count: product.inputShape[2], channel_count: depth, is_signed: pass.isSigned ? 1 : 0,
            zero_point: zeroPoint, weights: weights.firstElement.assumingMemoryBound(to: UInt8.self),
            bias: (sumBias?.firstElement).map { UnsafePointer($0.assumingMemoryBound(to: Int32.self)) }
                ?? UnsafePointer(computed),
            column_count: 0, first: 0, count: 0, requantization: apus_requantization(),
            output: context.mutableBytes(output), sums: nil,
            numbers: apus_dequantization(
                output: context.mutableFloats(output), row_scales: rowScales,
                row_scale_step: pass.scaleCount == 1 ? 0 : 1, scales: scales.floats, bias: bias.floats,
                addend: context.floats(addend), activation: activation),
            output_stride: columns, scratch: memory, scratch_byte_count: 0)
        product.run(whole, context)
    }
}
