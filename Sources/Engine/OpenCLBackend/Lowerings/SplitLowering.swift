import Graphs
import Planning

/// Splits a value. Outputs that the planner placed inside the input stay there; the others are copied.
struct SplitLowering: Lowering {
    let name = "in-place-split"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let split = request.operation as? Split else { return .otherOperator }
        guard let input = request.inputs[0], request.constants[0] == nil else {
            return .decline("the input is part of the network")
        }
        guard StridedCopy.takes(input) else { return .decline("more than 8 axes, or no elements, or too many") }
        guard request.outputs.allSatisfy({ $0.elementCount > 0 }) else {
            return .decline("a value is empty")
        }
        let axis = split.axis < 0 ? split.axis + input.rank : split.axis
        let layout = request.inputLayouts[0] ?? .rowMajor
        let isInPlace = axis == 1 && input.rank == 4 && layout == .channelsLast
        return .accept(
            Candidate(
                microseconds: isInPlace ? 0 : speed.microseconds(multiplyAdds: 0, byteCount: 2 * input.byteCount),
                inputLayouts: [layout], outputLayouts: [layout], sharing: isInPlace ? .split(axis: axis) : nil,
                makeDeviceStep: { operands in
                    let input = try operands.input(0)
                    var start = 0
                    var calls: [KernelCall] = []
                    for output in operands.outputs {
                        let part = input.slice(axis: axis, start: start, count: output.shape[axis])
                        start += output.shape[axis]
                        if output.isSameMemory(as: part) { continue }
                        calls.append(StridedCopy.call(from: part, to: output, device))
                    }
                    return KernelStep(calls)
                }))
    }
}
