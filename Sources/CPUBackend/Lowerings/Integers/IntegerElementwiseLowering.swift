import CPUKernels
import Graphs
import Planning
import Tensors

/// Sums, tables and changes between numbers and integers of 8 bits, and from 32, element by element over dense values.
/// Images of few planes are written channels-last while they are quantized, as convolutions of integers read them.
struct IntegerElementwiseLowering: Lowering {
    let name = "integer-elementwise"
    let instructionSet: InstructionSet

    func lower(_ request: LoweringRequest) -> LoweringAnswer {
        guard let input = request.inputs.first ?? nil, let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        let kind: IntegerElementwiseStep.Kind
        switch request.operation {
        case let sum as IntegerAdd:
            guard let second = request.inputs[1], second.shape == input.shape || second.elementCount == 1,
                input.shape == output.shape
            else { return .decline("operands broadcast") }
            guard request.constants[0] == nil, second.elementCount == 1 || request.constants[1] == nil else {
                return .decline("an operand is part of the network")
            }
            guard input.elementType == second.elementType, input.elementType == output.elementType else {
                return .decline("element types differ")
            }
            kind = .sum(sum, hasOneNumber: second.elementCount == 1)
        case is Lookup:
            guard let table = request.constants[1], output.elementType.byteCount == 1 else {
                return .decline("the table is not of 8 bits")
            }
            kind = .lookup(table)
        case is AffineQuantize, is QuantizeLinear:
            guard let quantization = QuantizationToBytes(request) else {
                return .decline("no quantization to 8 bits with one scale of the network")
            }
            kind = .quantize(quantization.operation, roundsToEven: quantization.roundsToEven)
        case is DequantizeLinear:
            guard let scale = request.constants[1], scale.elementCount == 1 else {
                return .decline("slices have scales of their own")
            }
            var zeroPoint = 0
            if request.inputs.count > 2, request.inputs[2] != nil {
                guard let point = request.constants[2] else { return .decline("the zero point is computed") }
                zeroPoint = Int(point.elements(as: Int32.self).first ?? 0)
            }
            kind = .dequantize(scale: scale.elements(as: Float.self).first ?? 0, zeroPoint: Int32(clamping: zeroPoint))
        case let cast as Cast where cast.to == .float32:
            kind = input.elementType == .int32 ? .convert : .dequantize(scale: 1, zeroPoint: 0)
        default: return .decline("not a function of 8-bit integers")
        }
        let isQuantizing = if case .quantize = kind { true } else { false }
        let isConverting = if case .convert = kind { true } else { false }
        let isDequantizing = if case .dequantize = kind { true } else { isConverting }
        guard
            isQuantizing
                ? input.elementType == .float32 : isConverting || [.int8, .uint8].contains(input.elementType),
            isDequantizing ? output.elementType == .float32 : [.int8, .uint8].contains(output.elementType)
        else { return .decline("elements are \(input.elementType) and \(output.elementType)") }
        guard input.elementCount > 0 else { return .decline("a value is empty") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        let planeCount =
            isQuantizing && input.rank == 4 && layout == .rowMajor && input.shape[1] > 1
                && input.shape[1] <= Int(APUS_MAXIMUM_PLANES) ? input.shape[1] : 1
        let hasSecond = if case .sum(_, false) = kind { true } else { false }
        let kernel = IntegerKernel(instructionSet, multipliesBytes: true)
        return .accept(
            Candidate(
                microseconds: 1 + Double(input.elementCount) / 4_000 / Double(request.threadCount),
                inputLayouts: hasSecond ? [layout, layout] : [layout],
                outputLayouts: [planeCount > 1 ? .channelsLast : layout],
                readsSlices: false, writesSlices: false
            ) { operands in
                if planeCount > 1, case .quantize(let operation, let roundsToEven) = kind {
                    return PlaneQuantizingStep(
                        operation: operation, roundsToEven: roundsToEven, input: try operands.input(0),
                        output: operands.outputs[0])
                }
                return IntegerElementwiseStep(
                    kind: kind, kernel: kernel, input: try operands.input(0),
                    second: try operands.optionalInput(1), output: operands.outputs[0],
                    pieceCount: min(request.threadCount * 2, 1 + input.elementCount / 16_384))
            })
    }
}

private struct IntegerElementwiseStep: Step {
    enum Kind: Sendable {
        case sum(IntegerAdd, hasOneNumber: Bool)
        case lookup(Tensor)
        case quantize(AffineQuantize, roundsToEven: Bool)
        case dequantize(scale: Float, zeroPoint: Int32)
        /// From 32 bits.
        case convert
    }

    /// What a piece of work computes.
    private enum Function: BitwiseCopyable {
        case add, quantize, quantizeToEven, dequantize, convert
        case lookUp(UnsafePointer<UInt8>)
    }

    private struct Arguments: BitwiseCopyable {
        let step: Int
        let count: Int
        var sum: apus_integer_sum
        let add: @convention(c) (UnsafePointer<apus_integer_sum>) -> Void
        let scale: Float
        let zeroPoint: Int32
        let function: Function
    }

    let kind: Kind
    let kernel: IntegerKernel
    let input: Operand
    let second: Operand?
    let output: Operand
    let pieceCount: Int

    func run(_ context: StepContext) {
        let count = input.elementCount
        let isSigned: Int32 = (input.elementType == .float32 ? output : input).elementType == .int8 ? 1 : 0
        let range = output.elementType.quantizedRange ?? 0...0
        let x = context.bytes(input)
        var sum = apus_integer_sum(
            a: x, b: x, y: context.mutableBytes(output), count: count, b_step: 1, is_signed: isSigned,
            is_difference: 0, a_zero: 0, b_zero: 0, y_zero: 0, low: range.lowerBound, high: range.upperBound,
            left_shift: 0, first: 0, second: 0, output: 0, first_shift: 0, second_shift: 0, output_shift: 0,
            has_scales: 0, a_scale: 0, b_scale: 0)
        let function: Function
        var (scale, zeroPoint): (Float, Int32) = (1, 0)
        switch kind {
        case .sum(let operation, let hasOneNumber):
            function = .add
            if let second { sum.b = context.bytes(second) }
            sum.b_step = hasOneNumber ? 0 : 1
            sum.is_difference = operation.isDifference ? 1 : 0
            (sum.a_zero, sum.b_zero, sum.y_zero) = (operation.scaling.a, operation.scaling.b, operation.scaling.y)
            (sum.low, sum.high) = (operation.scaling.range.lowerBound, operation.scaling.range.upperBound)
            sum.left_shift = operation.leftShift
            (sum.first, sum.first_shift) = (operation.first.value, operation.first.shift)
            (sum.second, sum.second_shift) = (operation.second.value, operation.second.shift)
            (sum.output, sum.output_shift) = (operation.output.value, operation.output.shift)
            if let scales = operation.scales {
                (sum.has_scales, sum.a_scale, sum.b_scale) = (1, scales.a, scales.b)
            }
        case .lookup(let tensor):
            function = .lookUp(UnsafePointer(tensor.firstElement.assumingMemoryBound(to: UInt8.self)))
        case .quantize(let operation, let roundsToEven):
            function = roundsToEven ? .quantizeToEven : .quantize
            (scale, zeroPoint) = (operation.scale, operation.zeroPoint)
        case .dequantize(let factor, let point): (function, scale, zeroPoint) = (.dequantize, factor, point)
        case .convert: function = .convert
        }
        let arguments = Arguments(
            step: (count + pieceCount - 1) / pieceCount, count: count, sum: sum, add: kernel.kernel.add, scale: scale,
            zeroPoint: zeroPoint, function: function)
        context.workers.run(pieceCount, arguments) { context, index, _ in
            var it = context.load(as: Arguments.self)
            let first = min(index * it.step, it.count)
            let count = min(it.step, it.count - first)
            guard count > 0 else { return }
            switch it.function {
            case .lookUp(let table):
                apus_look_up(it.sum.a + first, table, it.sum.is_signed, count, it.sum.y + first)
            case .quantize, .quantizeToEven:
                let roundsToEven: Int32 = if case .quantizeToEven = it.function { 1 } else { 0 }
                let x = UnsafeRawPointer(it.sum.a).assumingMemoryBound(to: Float.self)
                apus_quantize(
                    x + first, it.scale, it.zeroPoint, it.sum.low, it.sum.high, roundsToEven, count,
                    it.sum.y + first)
            case .dequantize:
                let y = UnsafeMutableRawPointer(it.sum.y).assumingMemoryBound(to: Float.self)
                apus_dequantize(it.sum.a + first, it.sum.is_signed, it.scale, it.zeroPoint, count, y + first)
            case .convert:
                let x = UnsafeRawPointer(it.sum.a).assumingMemoryBound(to: Int32.self)
                let y = UnsafeMutableRawPointer(it.sum.y).assumingMemoryBound(to: Float.self)
                apus_convert_integers(x + first, count, y + first)
            case .add:
                it.sum.a += first
                if it.sum.b_step != 0 { it.sum.b += first }
                it.sum.y += first
                it.sum.count = count
                it.add(&it.sum)
            }
        }
    }
}
