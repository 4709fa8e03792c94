import Graphs
import Planning
import Tensors

/// Batch normalisation with known statistics, as one multiplication and one addition per element.
struct BatchNormalizationLowering: Lowering {
    let name = "scale-and-shift"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let normalization = request.operation as? BatchNormalization else {
            return .otherOperator
        }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard request.outputs.count == 1, request.constants.count == 5 else {
            return .decline("running statistics are wanted")
        }
        let statistics = request.constants[1...].compactMap { $0?.elements(as: Double.self) }
        guard statistics.count == 4 else { return .decline("statistics are computed at run time") }
        let output = request.outputs[0]
        guard StridedCopy.takes(output) else { return .decline("more than 8 axes, or too many elements") }
        let layout = request.prevailingLayout
        var stages = [
            ElementwiseChain.Stage(function: "stage_mul", operand: 1),
            ElementwiseChain.Stage(function: "stage_add", operand: 2),
        ]
        if let activation = normalization.activation { stages.append(ElementwiseChain.stage(activation)) }
        let chain = ElementwiseChain(operands: [0, 1, 2], stages: stages)
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: 0, byteCount: request.cost.bytes),
                inputLayouts: [layout], outputLayouts: [layout],
                makeDeviceStep: { operands in
                    let (gamma, beta, mean, variance) = (statistics[0], statistics[1], statistics[2], statistics[3])
                    let scale = gamma.indices.map {
                        gamma[$0] / (variance[$0] + Double(normalization.epsilon)).squareRoot()
                    }
                    let shift = gamma.indices.map { beta[$0] - mean[$0] * scale[$0] }
                    let shape = [scale.count] + [Int](repeating: 1, count: output.rank - 2)
                    let factors = try [scale, shift].map { values in
                        let tensor = try Tensor(values, as: .float32, shape: shape)
                        return Operand(
                            elementType: .float32, shape: shape, strides: tensor.strides, place: .constant(tensor))
                    }
                    return KernelStep(
                        chain.calls([try operands.input(0).onDevice()] + factors, to: operands.outputs[0]))
                }))
    }
}

/// Local response normalisation across channels.
struct LocalResponseNormalizationLowering: Lowering {
    let name = "local-response-normalization"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        guard let operation = request.operation as? LRN else { return .otherOperator }
        if let refusal = request.refusalOfImages { return .decline(refusal) }
        guard operation.size <= Int(Int32.max) else { return .decline("too many neighbours") }
        let taps = (request.outputs[0].shape + [operation.size]).saturatingProduct
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: taps, byteCount: request.cost.bytes, efficiency: 0.1),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                makeDeviceStep: { operands in
                    let from = try ImageValue(try operands.input(0))
                    let to = try ImageValue(operands.outputs[0])
                    let extents = [to.view.count, to.view.channels, to.view.height, to.view.width]
                    let arguments: [KernelCall.Argument] =
                        [.operand(from.operand), .operand(to.operand)] + ints(extents) + from.strides
                        + to.strides
                        + [
                            .int(Int32(operation.size)), .float(operation.alpha), .float(operation.beta),
                            .float(operation.bias),
                        ]
                    return KernelStep([
                        KernelCall(
                            .normalization, kernel: "local_response", arguments: arguments,
                            global: [to.view.channels, to.view.width, to.view.count * to.view.height])
                    ])
                }))
    }
}
