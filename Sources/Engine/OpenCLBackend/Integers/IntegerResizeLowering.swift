import Graphs
import Planning
import Tensors

/// Bilinear resizing of images of 8-bit integers.
struct IntegerResizeLowering: Lowering {
    let name = "integer-resize"
    let device: DeviceInformation

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let resize = request.operation as? IntegerResize else { return .otherOperator }
        if let refusal = request.refusalOfByteImages { return .decline(refusal) }
        guard let input = request.inputs[0], let output = request.outputs.first else {
            return .decline("an operand is missing")
        }
        return .accept(
            Candidate(
                microseconds: OpenCLSpeed(device).microseconds(
                    multiplyAdds: request.cost.multiplyAdds, byteCount: request.cost.bytes, efficiency: 0.1),
                inputLayouts: [.channelsLast] + request.inputs.dropFirst().map { _ in nil },
                outputLayouts: [.channelsLast],
                makeDeviceStep: { [isNVIDIA = device.maker == .nvidia] operands in
                    let (from, to) = (try ImageValue(try operands.input(0)), try ImageValue(operands.outputs[0]))
                    let isSigned = input.elementType == .int8
                    func places(_ axis: Int) throws -> KernelCall.Argument {
                        let places = resize.positions(
                            input: input.shape[axis + 2], output: output.shape[axis + 2], usesFloat32: !isSigned)
                        let values = places.flatMap {
                            [$0.lower, $0.upper, $0.share, Int32(bitPattern: $0.fraction.bitPattern)]
                        }
                        return .constant(try Tensor(values, shape: [values.count]), packing: "places") { $0 }
                    }
                    var arguments: [KernelCall.Argument] = [
                        .operand(from.operand), try places(0), try places(1), .operand(to.operand),
                    ]
                    arguments += ints([to.view.count, to.view.channels]) + from.strides
                    arguments += ints([to.view.height, to.view.width]) + to.strides
                    return KernelStep([
                        KernelCall(
                            .integerResize, kernel: "integer_resize",
                            macros: ["SIGNED": isSigned ? "1" : "0", "IS_NVIDIA": isNVIDIA ? "1" : "0"],
                            arguments: arguments,
                            global: [to.view.channels, to.view.width, to.view.count * to.view.height])
                    ])
                }))
    }
}
