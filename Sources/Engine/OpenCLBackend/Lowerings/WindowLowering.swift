import Graphs
import Planning

/// Convolutions over one or three spatial axes; each work-item computes one output element.
struct WindowConvolutionLowering: Lowering {
    let name = "window-convolution"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do {
            convolution = try request.convolution(spatialAxes: SpatialValue.axisCounts)
        } catch {
            return error.answer
        }
        return .accept(
            Candidate(
                microseconds: speed.microseconds(
                    multiplyAdds: request.cost.multiplyAdds, byteCount: request.cost.bytes, efficiency: 0.05),
                inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast],
                makeDeviceStep: { operands in KernelStep([try Self.call(convolution, operands)]) }))
    }

    private static func call(_ convolution: ConvolutionRequest, _ operands: StepOperands) throws -> KernelCall {
        let input = try SpatialValue(try operands.input(0))
        let output = try SpatialValue(operands.outputs[0])
        let addend = try operands.optionalInput(Conv.addendPosition).map { try SpatialValue($0) }
        let group = convolution.operation.group
        let columns = convolution.weights.shape[0] / group
        let bias = convolution.biasArgument(paddedColumns: columns)
        var arguments: [KernelCall.Argument] = [
            .operand(input.operand), convolution.weightsArgument(paddedColumns: columns), bias,
            .operand(addend?.operand ?? output.operand), .operand(output.operand),
        ]
        arguments += SpatialValue.window(convolution.geometry, from: input, to: output)
        arguments += [.axes(input.strides), .axes(output.strides), .axes((addend ?? output).strides)]
        arguments += ints([group, convolution.weights.shape[1], columns, addend == nil ? 0 : 1])
        arguments += Epilogue.arguments(convolution.operation.activation)
        return KernelCall(
            .windows, kernel: "convolve_window", arguments: arguments, global: output.global)
    }
}

/// Max and average pooling over one or three spatial axes.
struct WindowPoolLowering: Lowering {
    let name = "window-pool"
    let speed: OpenCLSpeed

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let isPool = request.operation is MaxPool || request.operation is AveragePool
        guard isPool, let pool = request.operation as? any Pooling else {
            return .otherOperator
        }
        if let refusal = request.refusalOfElements { return .decline(refusal) }
        guard let input = request.inputs[0], SpatialValue.axisCounts.contains(input.rank - 2) else {
            return .decline("neither 1 nor 3 spatial axes")
        }
        guard request.outputs.count == 1 else { return .decline("indices are wanted") }
        guard let geometry = try? pool.geometry(x: input.shape) else { return .decline("the window does not fit") }
        guard max(input.elementCount, request.outputs[0].elementCount) <= Int(Int32.max) else {
            return .decline("extents exceed integers of 32 bits")
        }
        let macros = pool is MaxPool ? ["MAXIMUM": "1"] : [:]
        let countsPadding = (pool as? AveragePool)?.countIncludePad ?? false
        let taps = (geometry.kernel + request.outputs[0].shape).saturatingProduct
        return .accept(
            Candidate(
                microseconds: speed.microseconds(multiplyAdds: taps, byteCount: request.cost.bytes, efficiency: 0.05),
                inputLayouts: [.channelsLast], outputLayouts: [.channelsLast],
                makeDeviceStep: { operands in
                    let from = try SpatialValue(try operands.input(0))
                    let to = try SpatialValue(operands.outputs[0])
                    var arguments: [KernelCall.Argument] = [.operand(from.operand), .operand(to.operand)]
                    arguments += SpatialValue.window(geometry, from: from, to: to)
                    arguments += [.axes(SpatialValue.threeAxes(geometry.padsEnd, filling: 0))]
                    arguments += [.axes(from.strides), .axes(to.strides)]
                    arguments += ints([to.operand.shape[1], countsPadding ? 1 : 0])
                    return KernelStep([
                        KernelCall(
                            .windows, kernel: "pool_window", macros: macros, arguments: arguments, global: to.global)
                    ])
                }))
    }
}

/// A value of channels-last images with one or three spatial axes, in the form that `windows.cl` takes.
private struct SpatialValue {
    static let axisCounts: Set<Int> = [1, 3]

    let operand: Operand
    /// The extents of the three axes; missing axes come first, with extent 1.
    let extents: [Int]
    /// The strides of images and the three axes, in elements.
    let strides: [Int]

    init(_ operand: Operand) throws {
        self.operand = try operand.onDevice()
        extents = Self.threeAxes(self.operand.shape[2...], filling: 1)
        strides = [self.operand.strides[0]] + Self.threeAxes(self.operand.strides[2...], filling: 0)
    }

    static func threeAxes(_ values: some Collection<Int>, filling value: Int) -> [Int] {
        [Int](repeating: value, count: 3 - values.count) + values
    }

    /// The numbers of work-items, one per element.
    var global: [Int] { [operand.shape[1], extents[2], operand.shape[0] * extents[0] * extents[1]] }

    /// The arguments that describe the window's taps.
    static func window(
        _ geometry: SpatialWindow.Geometry, from input: SpatialValue, to output: SpatialValue
    ) -> [KernelCall.Argument] {
        let kernel = threeAxes(geometry.kernel, filling: 1) + threeAxes(geometry.strides, filling: 1)
        let offsets = threeAxes(geometry.dilations, filling: 1) + threeAxes(geometry.padsBegin, filling: 0)
        return [.axes(input.extents + output.extents + [output.operand.shape[0]]), .axes(kernel), .axes(offsets)]
    }
}
