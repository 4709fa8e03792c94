import Graphs
import Planning
import Tensors

/// QuantizedMatMul with weights that are part of the network: the rows become bytes, and the sums of their products
/// become numbers before they are stored.
struct QuantizedProductLowering: Lowering {
    let name = "quantized-gemm"
    let device: DeviceInformation
    let arithmetic: ByteArithmetic

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? QuantizedMatMul else { return .otherOperator }
        guard let input = request.inputs[0], let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        guard let weights = request.constants.optional(1),
            let scales = request.constants.optional(QuantizedMatMul.scalePosition)
        else { return .decline("weights are computed at run time") }
        let bias = request.constants.optional(QuantizedMatMul.biasPosition)
        guard bias != nil || request.inputs.optional(QuantizedMatMul.biasPosition) == nil else {
            return .decline("the bias is computed at run time")
        }
        guard input.elementCount > 0, output.elementCount > 0 else { return .decline("a value is empty") }
        let (depth, columns) = (weights.shape[0], weights.shape[1])
        // 255 · 255 · 2¹⁵ is just below 2³¹.
        guard depth <= 1 << 15 else { return .decline("sums may exceed 32 bits") }
        guard operation.hasPossiblePoints(weights.elementType, input: input.elementType) else {
            return .decline("a zero point lies outside the range of its type")
        }
        guard [input, output, TensorType(weights)].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            return .decline("extents exceed integers of 32 bits")
        }
        let rows = input.elementCount / depth
        let pass = RowQuantization(operation.quantization, rows: rows, depth: depth, device)
        let wordCount = ByteWords.count(parts: 1, columns: columns, channels: depth)
        guard max(rows * pass.pitch, wordCount) <= Int(Int32.max) else {
            return .decline("extents exceed integers of 32 bits")
        }
        let hasAddend = request.inputs.optional(QuantizedMatMul.addendPosition) != nil
        let (cost, speed) = (request.cost, OpenCLSpeed(device))
        let passes =
            pass.callCount == 0
            ? 0
            : Double(pass.callCount - 1) * speed.startMicroseconds
                + speed.microseconds(multiplyAdds: 0, byteCount: 5 * input.elementCount)
        let extents = Product(rows: rows, columns: columns, depth: (depth + 3) / 4, isDivisible: false)
        return extents.answer(arithmetic.tiles(), at: speed) { division in
            Candidate(
                microseconds: passes + speed.microseconds(division, byteCount: cost.bytes),
                inputLayouts: hasAddend ? [.rowMajor, nil, nil, nil, .rowMajor] : [.rowMajor],
                outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false,
                sharing: hasAddend ? .overwriting(input: QuantizedMatMul.addendPosition) : nil,
                scratchByteCount: pass.scratchByteCount,
                makeDeviceStep: { [arithmetic] operands in
                    let quantized = try pass.result(try operands.input(0).onDevice(), scratch: operands.scratch)
                    let addend = hasAddend ? try operands.input(QuantizedMatMul.addendPosition).onDevice() : nil
                    let right = ByteWeights(
                        zeroPoints: [operation.weightZeroPoint], elementType: weights.elementType, isMatrix: true)
                    let product = IntegerMatrixCall(
                        rows: rows, columns: columns, depth: depth, left: quantized.bytes,
                        leftRowStride: quantized.rowPitch, isPadded: quantized.isPadded, leftPoints: quantized.points,
                        right: right.words(weights), output: operands.outputs[0],
                        result: .numbers(
                            IntegerResult.Numbers(
                                rowScales: quantized.scales, rowScaleStep: quantized.scaleStep, scales: scales,
                                bias: bias, addend: addend, activation: operation.activation)))
                    return KernelStep(quantized.calls + (try product.calls(division.tiles, arithmetic.dot())))
                })
        }
    }
}

extension QuantizedMatMul {
    /// Whether zero points are numbers of their factors' types.
    fileprivate func hasPossiblePoints(_ weights: ElementType, input: ElementType) -> Bool {
        func isPossible(_ point: Int32, _ type: ElementType) -> Bool {
            type.isQuantizedByte && type.quantizedRange?.contains(point) ?? false
        }
        let isLeftPossible: Bool =
            switch quantization {
            case .byRow, .whole: true
            case .fixed(_, let zeroPoint, let elementType): isPossible(zeroPoint, elementType)
            case .integers(_, let zeroPoint): isPossible(zeroPoint, input)
            }
        return isLeftPossible && isPossible(weightZeroPoint, weights)
    }
}

/// DynamicQuantizeLinear: the range of a value, then its bytes.
struct DynamicQuantizationLowering: Lowering {
    let name = "dynamic-quantization"
    let device: DeviceInformation

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard request.operation is DynamicQuantizeLinear else { return .otherOperator }
        guard let input = request.inputs.first ?? nil, input.elementType == .float32, input.elementCount > 0 else {
            return .decline("no float32 numbers")
        }
        guard input.elementCount <= Int(Int32.max) - 3 else { return .decline("extents exceed integers of 32 bits") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        let (count, groups) = (input.elementCount, RangeGroups(device, count: input.elementCount))
        let speed = OpenCLSpeed(device)
        // Scratch memory holds the ranges, then the scale and the zero point where they are not outputs.
        let rangesByteCount = 8 * groups.groups
        return .accept(
            Candidate(
                microseconds: speed.startMicroseconds + speed.microseconds(multiplyAdds: 0, byteCount: 9 * count),
                inputLayouts: [layout], outputLayouts: [layout, .rowMajor, .rowMajor], readsSlices: false,
                writesSlices: false, scratchByteCount: rangesByteCount + 8,
                makeDeviceStep: { operands in
                    let (outputs, scratch) = (operands.outputs, operands.scratch)
                    return KernelStep(
                        groups.calls(
                            try operands.input(0).onDevice(), rows: 1, length: count, pitch: count,
                            storesPadding: false,
                            ranges: scratch.part(.float32, count: 2 * groups.groups, fromByte: 0), bytes: outputs[0],
                            scale: outputs.count > 1
                                ? outputs[1] : scratch.part(.float32, count: 1, fromByte: rangesByteCount),
                            zeroPoint: outputs.count > 2
                                ? outputs[2] : scratch.part(.uint8, count: 1, fromByte: rangesByteCount + 4)))
                }))
    }
}
