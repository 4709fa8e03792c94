import Graphs
import Planning

/// A convolution with one filter per channel.
struct DepthwiseConvolutionLowering: Lowering {
    let name = "depthwise"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        guard convolution.isDepthwise else { return .decline("not one filter per channel") }
        let geometry = convolution.geometry
        guard geometry.kernel.reduce(1, *) <= 121 else { return .decline("more than 121 taps") }
        return .accept(
            Candidate(
                microseconds: speed.microseconds(
                    multiplyAdds: request.cost.multiplyAdds, byteCount: request.cost.bytes, efficiency: 0.3),
                inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast],
                makeDeviceStep: { operands in KernelStep([try Self.call(convolution, operands)]) }))
    }

    private static func call(_ convolution: ConvolutionRequest, _ operands: StepOperands) throws -> KernelCall {
        let geometry = convolution.geometry
        let input = try ImageValue(try operands.input(0))
        let output = try ImageValue(operands.outputs[0])
        let channels = output.view.channels
        let epilogue = Epilogue(
            bias: convolution.biasArgument(paddedColumns: 1), addend: try convolution.addend(operands),
            activation: convolution.operation.activation)
        // Adjacent pixels share what they read, unless the windows are dilated or a stride beyond the kernel separates
        // them.
        let sharesPixels = geometry.dilations[1] == 1 && geometry.strides[1] < geometry.kernel[1]
        let itemWidth = sharesPixels ? (geometry.kernel[1] <= 3 ? 4 : 2) : 1
        let vector =
            ([channels] + input.vectorUnits + output.vectorUnits + (epilogue.addend?.vectorUnits ?? [])).vectorWidth
        let macros = [
            "VECTOR": "\(vector)", "ITEM_WIDTH": "\(itemWidth)", "KERNEL_HEIGHT": "\(geometry.kernel[0])",
            "KERNEL_WIDTH": "\(geometry.kernel[1])", "STRIDE_WIDTH": "\(geometry.strides[1])",
            "DILATION_WIDTH": "\(geometry.dilations[1])",
        ]
        // [C, 1, kh, kw] → [kh · kw][C]
        let weights = KernelCall.Argument.constant(convolution.weights, packing: "depthwise") {
            try $0.transposed([2, 3, 1, 0]).contiguous()
        }
        var arguments: [KernelCall.Argument] = [
            .operand(input.operand), weights, epilogue.bias, epilogue.addendArgument(insteadOf: output.operand),
            .operand(output.operand),
        ]
        arguments += ints([output.view.count, channels, input.view.height, input.view.width]) + input.strides
        arguments += ints([geometry.strides[0], geometry.dilations[0]] + geometry.padsBegin)
        arguments += ints([output.view.height, output.view.width]) + output.strides
        arguments += epilogue.addendArguments + epilogue.activationArguments
        return KernelCall(
            .depthwise, kernel: "depthwise", macros: macros, arguments: arguments,
            global: [
                channels / vector, (output.view.width + itemWidth - 1) / itemWidth,
                output.view.count * output.view.height,
            ])
    }
}
