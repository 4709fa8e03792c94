import Graphs
import Planning

/// Softmax and normalisation of rows of 8-bit integers.
struct IntegerRowsLowering: Lowering {
    let name = "integer-rows"
    let device: DeviceInformation

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let isSoftmax = request.operation is IntegerSoftmax
        guard isSoftmax || request.operation is IntegerL2Normalization else { return .otherOperator }
        if let refusal = request.refusalOfBytes { return .decline(refusal) }
        guard let input = request.inputs[0], let length = input.shape.last, let parameters = parameters(request, input)
        else { return .decline("no fixed point represents the factor") }
        let group = ReductionGroup(device, length: length)
        return .accept(
            Candidate(
                microseconds: OpenCLSpeed(device).microseconds(
                    multiplyAdds: (isSoftmax ? 100 : 10) * input.elementCount, byteCount: 2 * request.cost.bytes),
                inputLayouts: [.rowMajor], outputLayouts: [.rowMajor], readsSlices: false, writesSlices: false,
                makeDeviceStep: { operands in
                    let rows = input.elementCount / length
                    var macros = group.macros
                    macros["SIGNED"] = input.elementType.signMacro
                    if isSoftmax { macros["SOFTMAX"] = "1" }
                    return KernelStep([
                        KernelCall(
                            .integerRows, kernel: isSoftmax ? "integer_softmax" : "integer_l2_normalization",
                            macros: macros,
                            arguments: [.operand(try operands.input(0)), .operand(operands.outputs[0])]
                                + ints([rows, length]) + parameters.map { .int($0) },
                            global: group.global(rows), local: group.local)
                    ])
                }))
    }

    /// The kernel's last arguments; nil where there are none.
    private func parameters(_ request: LoweringRequest, _ input: TensorType) -> [Int32]? {
        switch request.operation {
        case let softmax as IntegerSoftmax:
            // As the operator has them: 26 fractional bits, and the difference that would overflow 5 integer bits.
            guard let multiplier = try? FixedPointMultiplier(min(softmax.factor * 0x1p26, 0x1p30 - 1)) else {
                return nil
            }
            let least = -Int32((31 * 0x1p26 / Double(1 << max(multiplier.shift, 0))).rounded(.down))
            return [multiplier.value, multiplier.shift, least, softmax.elementType.quantizedRange?.lowerBound ?? 0]
        case let normalization as IntegerL2Normalization:
            let isSigned = input.elementType == .int8
            return [normalization.zeroPoint, isSigned ? 1 : 128, isSigned ? 7 : 0, isSigned ? 0 : 128]
        default: return nil
        }
    }
}
