import Graphs
import Planning

/// 2-D max and average pooling.
struct PoolLowering: Lowering {
    let name = "pool"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let isPool = request.operation is MaxPool || request.operation is AveragePool
        guard isPool, let pool = request.operation as? any Pooling else { return .otherOperator }
        if let refusal = request.refusalOfImages { return .decline(refusal) }
        guard request.outputs.count == 1 else { return .decline("indices are wanted") }
        guard let input = request.inputs[0], let geometry = try? pool.geometry(x: input.shape) else {
            return .decline("the window does not fit")
        }
        let isMaximum = pool is MaxPool
        let countsPadding = (pool as? AveragePool)?.countIncludePad ?? false
        let taps = (geometry.kernel + request.outputs[0].shape).saturatingProduct
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: taps, byteCount: request.cost.bytes, efficiency: 0.1),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                makeDeviceStep: { operands in
                    let from = try ImageValue(try operands.input(0))
                    let to = try ImageValue(operands.outputs[0])
                    let vector = ([to.view.channels] + from.vectorUnits + to.vectorUnits).vectorWidth
                    var arguments: [KernelCall.Argument] = [.operand(from.operand), .operand(to.operand)]
                    arguments += ints([to.view.count, to.view.channels, from.view.height, from.view.width])
                    arguments += from.strides
                    arguments += ints(geometry.kernel + geometry.strides + geometry.dilations)
                    arguments += ints(geometry.padsBegin + geometry.padsEnd + [countsPadding ? 1 : 0])
                    arguments += ints([to.view.height, to.view.width]) + to.strides
                    var macros = ["VECTOR": "\(vector)"]
                    if isMaximum { macros["MAXIMUM"] = "1" }
                    return KernelStep([
                        KernelCall(
                            .pooling, kernel: "pool", macros: macros, arguments: arguments,
                            global: [to.view.channels / vector, to.view.width, to.view.count * to.view.height])
                    ])
                }))
    }
}

/// The mean or the maximum of every channel of an image.
struct GlobalPoolLowering: Lowering {
    let name = "global-pool"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let isMaximum = request.operation is GlobalMaxPool
        let isWanted = isMaximum || request.operation is GlobalAveragePool
        guard isWanted else { return .otherOperator }
        guard let input = request.inputs.first ?? nil else { return .decline("an operand is missing") }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard (3...5).contains(input.rank) else { return .decline("\(input.rank - 2) spatial axes, not 1, 2 or 3") }
        // A processor reads the pixels of a channel one after another.
        let group = device.kind == .processor ? [8, 1, 1] : [16, min(8, max(1, device.maximumWorkGroupSize / 16)), 1]
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: request.cost.bytes),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast], readsSlices: input.rank == 4,
                makeDeviceStep: { operands in
                    let from = try ImageValue(try operands.input(0).withTwoSpatialAxes)
                    let to = try ImageValue(operands.outputs[0].withTwoSpatialAxes)
                    let channels = to.view.channels
                    let vector = ([channels] + from.vectorUnits + to.vectorUnits).vectorWidth
                    var macros = [
                        "VECTOR": "\(vector)", "CHANNEL_ITEMS": "\(group[0])", "ROW_ITEMS": "\(group[1])",
                    ]
                    if isMaximum { macros["MAXIMUM"] = "1" }
                    let extents = [channels, from.view.height, from.view.width]
                    let arguments =
                        [.operand(from.operand), .operand(to.operand)]
                        + ints(extents) + from.strides
                        + [.long(to.view.imageStride)]
                    return KernelStep([
                        KernelCall(
                            .pooling, kernel: "pool_image", macros: macros, arguments: arguments,
                            global: [(channels / vector).roundedUp(to: group[0]), group[1], to.view.count],
                            local: group)
                    ])
                }))
    }
}

extension Operand {
    /// A channels-last value with two spatial axes. Any other number of axes, which must be dense, becomes one row.
    fileprivate var withTwoSpatialAxes: Operand {
        guard shape.count != 4 else { return self }
        let pixels = shape[2...].reduce(1, *)
        var row = self
        row.shape = [shape[0], shape[1], 1, pixels]
        row.strides = [strides[0], 1, pixels * shape[1], shape[1]]
        return row
    }
}
