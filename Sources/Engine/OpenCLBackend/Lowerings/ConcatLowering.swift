import Graphs
import Planning

/// Concatenates inputs. Inputs that the planner placed inside the output are there already; the others are copied.
struct ConcatLowering: Lowering {
    let name = "in-place-concat"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let concat = request.operation as? Concat else { return .otherOperator }
        let output = request.outputs[0]
        guard StridedCopy.takes(output) else { return .decline("more than 8 axes, or no elements, or too many") }
        let axis = concat.axis < 0 ? concat.axis + output.rank : concat.axis
        let layout = request.prevailingLayout
        let isInPlace = axis == 1 && output.rank == 4 && layout == .channelsLast
        return .accept(
            Candidate(
                microseconds: isInPlace ? 0 : speed.microseconds(multiplyAdds: 0, byteCount: 2 * output.byteCount),
                inputLayouts: request.inputs.map { _ in layout }, outputLayouts: [layout],
                sharing: isInPlace ? .concatenation(axis: axis) : nil,
                makeDeviceStep: { operands in
                    let output = operands.outputs[0]
                    var start = 0
                    var calls: [KernelCall] = []
                    for case let input? in operands.inputs {
                        let part = output.slice(axis: axis, start: start, count: input.shape[axis])
                        start += input.shape[axis]
                        if input.elementCount == 0 || input.isSameMemory(as: part) { continue }
                        calls.append(StridedCopy.call(from: try input.onDevice(), to: part, device))
                    }
                    return KernelStep(calls)
                }))
    }
}
