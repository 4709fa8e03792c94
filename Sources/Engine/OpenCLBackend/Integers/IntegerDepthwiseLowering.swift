import Graphs
import Planning
import Tensors

/// A convolution of 8-bit integers whose groups have one channel each.
struct IntegerDepthwiseLowering: Lowering {
    let name = "integer-depthwise"
    let device: DeviceInformation

    /// The maximum number of taps, which are unrolled.
    private static let maximumTaps = 121

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: IntegerConvolutionRequest
        do { convolution = try request.specialized() } catch { return error.answer }
        guard convolution.weights.shape[1] == 1, convolution.operation.convolution.group == convolution.input.shape[1]
        else { return .decline("groups of more than one channel") }
        guard convolution.geometry.kernel.reduce(1, *) <= Self.maximumTaps else {
            return .decline("more than \(Self.maximumTaps) taps")
        }
        if let refusal = convolution.refusalOnDevice { return .decline(refusal) }
        return .accept(
            Candidate(
                microseconds: OpenCLSpeed(device).microseconds(
                    multiplyAdds: request.cost.multiplyAdds, byteCount: request.cost.bytes, efficiency: 0.15),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                elementwise: StagedBytes(inputCount: request.inputs.count) { input, output, chain in
                    try Self.call(convolution, input, to: output, through: chain)
                },
                makeDeviceStep: { operands in
                    KernelStep([try Self.call(convolution, try operands.input(0), to: operands.outputs[0])])
                }))
    }

    private static func call(
        _ convolution: IntegerConvolutionRequest, _ from: Operand, to: Operand,
        through chain: ElementwiseChain? = nil
    ) throws -> KernelCall {
        let (operation, geometry) = (convolution.operation, convolution.geometry)
        let (input, output) = (try ImageValue(from), try ImageValue(to))
        let channels = output.view.channels
        let multiplier = channels / input.view.channels
        // Adjacent pixels share what they read, unless the windows are dilated or a stride beyond the kernel separates
        // them.
        let sharesPixels = geometry.dilations[1] == 1 && geometry.strides[1] < geometry.kernel[1]
        let itemWidth = sharesPixels ? (geometry.kernel[1] <= 3 ? 4 : 2) : 1
        let vector = multiplier == 1 ? ([channels] + input.vectorUnits + output.vectorUnits).byteVectorWidth : 1
        var macros = [
            "VECTOR": "\(vector)", "ITEM_WIDTH": "\(itemWidth)", "KERNEL_HEIGHT": "\(geometry.kernel[0])",
            "KERNEL_WIDTH": "\(geometry.kernel[1])", "STRIDE_WIDTH": "\(geometry.strides[1])",
            "DILATION_WIDTH": "\(geometry.dilations[1])", "SIGNED": convolution.input.elementType.signMacro,
            "ROUNDING": operation.requantization.roundingMacro,
        ]
        if let chain { macros.merge(chain.macros(to: output.operand)) { $1 } }
        let point = operation.weightZeroPoint
        // [M, 1, kh, kw] → [kh · kw][M], less the zero point.
        let weights = KernelCall.Argument.constant(convolution.weights, packing: "depthwise/less \(point)") { tensor in
            let values = try tensor.transposed([2, 3, 1, 0]).elements(as: Int16.self)
            return try Tensor(values.map { $0 - Int16(point) }, shape: [values.count])
        }
        var arguments: [KernelCall.Argument] = [
            .operand(input.operand), weights,
            try operation.requantization.parameters(
                bias: convolution.bias, group: 1, columns: channels, pitch: channels),
            .operand(output.operand),
        ]
        arguments += ints([output.view.count, channels, multiplier, input.view.height, input.view.width])
        arguments += input.strides
        arguments += ints([geometry.strides[0], geometry.dilations[0]] + geometry.padsBegin)
        arguments += ints([output.view.height, output.view.width]) + output.strides
        arguments += [.int(operation.inputZeroPoint)] + operation.requantization.ends + (chain?.numbers ?? [])
        return KernelCall(
            chain == nil ? .integerDepthwise : .stagedIntegerDepthwise, kernel: "integer_depthwise", macros: macros,
            arguments: arguments,
            global: [
                channels / vector, (output.view.width + itemWidth - 1) / itemWidth,
                output.view.count * output.view.height,
            ])
    }
}
