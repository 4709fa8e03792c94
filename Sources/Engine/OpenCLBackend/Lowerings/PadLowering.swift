import Graphs
import Planning
import Tensors

/// Pad with one number, as two copies: the number everywhere, then what is kept of the input.
struct PadLowering: Lowering {
    let name = "padding-copy"
    let device: DeviceInformation
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let pad = request.operation as? Pad else { return .otherOperator }
        guard let input = request.inputs.first ?? nil, request.constants[0] == nil else {
            return .decline("the input is part of the network")
        }
        guard pad.mode == .constant, let (begin, end) = try? pad.resolvedPads(request.inputs) else {
            return .decline("pads are computed at run time, or repeat the input")
        }
        let output = request.outputs[0]
        guard StridedCopy.takes(input), StridedCopy.takes(output) else {
            return .decline("more than 8 axes, or no elements, or too many")
        }
        let isKept = input.shape.indices.allSatisfy { axis in
            let kept = input.shape[axis] + min(0, begin[axis]) + min(0, end[axis])
            return kept > 0 && kept + max(0, begin[axis]) + max(0, end[axis]) == output.shape[axis]
        }
        guard isKept else { return .decline("nothing is left of the input") }
        guard request.inputs.count < 3 || request.inputs[2] == nil || request.constants[2] != nil,
            let fill = try? (request.inputs.count > 2 ? request.constants[2] : nil)
                ?? Tensor([pad.value], shape: []).converted(to: input.elementType),
            let number = fill.elements(as: Double.self).first,
            let constant = try? Tensor([number], as: input.elementType, shape: [])
        else { return .decline("the number is computed, or does not fit \(input.elementType)") }
        let layout = request.inputLayouts[0] ?? .rowMajor
        return .accept(
            Candidate(
                microseconds: 2 * speed.microseconds(multiplyAdds: 0, byteCount: output.byteCount),
                inputLayouts: [layout] + request.inputs.dropFirst().map { _ in nil }, outputLayouts: [layout],
                makeDeviceStep: { operands in
                    var (source, target) = (try operands.input(0).onDevice(), operands.outputs[0])
                    let everywhere = Operand(
                        elementType: source.elementType, shape: target.shape, strides: target.shape.map { _ in 0 },
                        place: .constant(constant))
                    let filling = StridedCopy.call(from: everywhere, to: target, device)
                    for axis in source.shape.indices {
                        let cropped = max(0, -begin[axis])
                        let count = source.shape[axis] - cropped - max(0, -end[axis])
                        source = source.slice(axis: axis, start: cropped, count: count)
                        target = target.slice(axis: axis, start: max(0, begin[axis]), count: count)
                    }
                    return KernelStep([filling, StridedCopy.call(from: source, to: target, device)])
                }))
    }
}
