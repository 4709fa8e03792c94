import Graphs
import Planning

/// 2-D max and average pooling of 8-bit integers.
struct IntegerPoolLowering: Lowering {
    let name = "integer-pool"
    let device: DeviceInformation

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let isMaximum = request.operation is MaxPool
        guard isMaximum || request.operation is IntegerAveragePool, let pool = request.operation as? any Pooling else {
            return .otherOperator
        }
        if let refusal = request.refusalOfByteImages { return .decline(refusal) }
        guard request.outputs.count == 1 else { return .decline("indices are wanted") }
        guard let input = request.inputs[0], let geometry = try? pool.geometry(x: input.shape) else {
            return .decline("the window does not fit")
        }
        let limits = (pool as? IntegerAveragePool)?.range ?? input.elementType.quantizedRange ?? 0...0
        guard geometry.kernel.reduce(1, *) <= 1 << 22 else { return .decline("sums may exceed 32 bits") }
        let taps = (geometry.kernel + request.outputs[0].shape).saturatingProduct
        return .accept(
            Candidate(
                microseconds: OpenCLSpeed(device).microseconds(
                    multiplyAdds: taps, byteCount: request.cost.bytes, efficiency: 0.1),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                makeDeviceStep: { operands in
                    let (from, to) = (try ImageValue(try operands.input(0)), try ImageValue(operands.outputs[0]))
                    let vector = ([to.view.channels] + from.vectorUnits + to.vectorUnits).byteVectorWidth
                    var arguments: [KernelCall.Argument] = [.operand(from.operand), .operand(to.operand)]
                    arguments += ints([to.view.count, to.view.channels, from.view.height, from.view.width])
                    arguments += from.strides
                    arguments += ints(geometry.kernel + geometry.strides + geometry.dilations + geometry.padsBegin)
                    arguments += ints([to.view.height, to.view.width]) + to.strides
                    arguments += [.int(limits.lowerBound), .int(limits.upperBound)]
                    var macros = ["VECTOR": "\(vector)", "SIGNED": input.elementType.signMacro]
                    if isMaximum { macros["MAXIMUM"] = "1" }
                    return KernelStep([
                        KernelCall(
                            .integerPooling, kernel: "integer_pool", macros: macros, arguments: arguments,
                            global: [to.view.channels / vector, to.view.width, to.view.count * to.view.height])
                    ])
                }))
    }
}

/// The mean or sum of every channel of an image of 8-bit integers.
struct IntegerMeanLowering: Lowering {
    let name = "integer-mean"
    let device: DeviceInformation

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? IntegerMean else { return .otherOperator }
        if let refusal = request.refusalOfByteImages { return .decline(refusal) }
        guard let input = request.inputs[0], (try? operation.axes.resolved([input])) == [2, 3] else {
            return .decline("not the mean of images")
        }
        guard Array(input.shape[2...]).saturatingProduct <= 1 << 22 else { return .decline("sums may exceed 32 bits") }
        guard let requantization = try? operation.requantization(for: input) else { return .decline("no factor") }
        guard requantization.runsOnDevice, input.elementType.quantizedRange?.contains(operation.inputZeroPoint) ?? false
        else { return .decline("sums of 64 bits, or a zero point outside its range") }
        // A processor reads the pixels of a channel one after another.
        let group = device.kind == .processor ? [8, 1, 1] : [16, min(8, max(1, device.maximumWorkGroupSize / 16)), 1]
        return .accept(
            Candidate(
                microseconds: OpenCLSpeed(device).microseconds(multiplyAdds: 0, byteCount: request.cost.bytes),
                inputLayouts: [.channelsLast],
                outputLayouts: [request.outputs[0].rank == 4 ? .channelsLast : .rowMajor],
                writesSlices: false,
                makeDeviceStep: { operands in
                    let from = try ImageValue(try operands.input(0))
                    let channels = from.view.channels
                    let to = operands.outputs[0]
                    let vector = ([channels, to.position] + from.vectorUnits).byteVectorWidth
                    let macros = [
                        "VECTOR": "\(vector)", "CHANNEL_ITEMS": "\(group[0])", "ROW_ITEMS": "\(group[1])",
                        "SIGNED": input.elementType.signMacro, "ROUNDING": requantization.roundingMacro,
                    ]
                    let (factor, shift) = requantization.factor(0)
                    let arguments: [KernelCall.Argument] =
                        [.operand(from.operand), .operand(to)]
                        + ints([channels, from.view.height, from.view.width]) + from.strides + [.long(channels)]
                        + [.int(operation.inputZeroPoint), .int(factor), .int(shift)] + requantization.ends
                    return KernelStep([
                        KernelCall(
                            .integerPooling, kernel: "integer_mean", macros: macros, arguments: arguments,
                            global: [(channels / vector).roundedUp(to: group[0]), group[1], from.view.count],
                            local: group)
                    ])
                }))
    }
}
