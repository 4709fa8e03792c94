import Graphs
import Planning
import Tensors

/// A convolution with stride 1 by minimal filtering: transform, multiply a stack of matrices, transform back.
struct WinogradConvolutionLowering: Lowering {
    let name: String
    let speed: OpenCLSpeed
    let tiles: [TileShape]
    let rows: WinogradPoints
    let columns: WinogradPoints

    static func all(_ device: DeviceInformation, _ tiles: [TileShape]) -> [WinogradConvolutionLowering] {
        let (two, four, none) = (
            WinogradPoints(pairs: 1, outputs: 2, taps: 3), WinogradPoints(pairs: 2, outputs: 4, taps: 3),
            WinogradPoints(pairs: 0, outputs: 1, taps: 1)
        )
        let twoOfFive = WinogradPoints(pairs: 2, outputs: 2, taps: 5)
        return [
            Self("winograd-4x4", device, tiles, four, four), Self("winograd-2x2", device, tiles, two, two),
            Self("winograd-2x2-of-5x5", device, tiles, twoOfFive, twoOfFive),
            Self("winograd-4-of-3", device, tiles, none, four),
            Self("winograd-2-of-7", device, tiles, none, WinogradPoints(pairs: 3, outputs: 2, taps: 7)),
        ]
    }

    private init(
        _ name: String, _ device: DeviceInformation, _ tiles: [TileShape], _ rows: WinogradPoints,
        _ columns: WinogradPoints
    ) {
        self.name = name
        self.rows = rows
        self.columns = columns
        speed = OpenCLSpeed(device)
        self.tiles = tiles
    }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        let geometry = convolution.geometry
        let wanted = [rows.taps, columns.taps]
        guard convolution.operation.group == 1 else { return .decline("\(convolution.operation.group) groups") }
        guard geometry.strides == [1, 1], geometry.dilations == [1, 1] else {
            return .decline("strides or dilations are not 1")
        }
        let isTransposed = geometry.kernel != wanted
        guard geometry.kernel == (isTransposed ? wanted.reversed() : wanted) else {
            return .decline("the kernel is not \(wanted[0])×\(wanted[1])")
        }
        let work = WinogradWork(self, convolution, isTransposed: isTransposed)
        return work.product.answer(tiles, at: speed) { division in
            Candidate(
                microseconds: work.microseconds(speed, division), inputLayouts: convolution.inputLayouts(),
                outputLayouts: [.channelsLast], scratchByteCount: work.scratchCount * 4,
                makeDeviceStep: { operands in KernelStep(try work.calls(operands, division)) })
        }
    }
}

/// The extents of one Winograd convolution, with the axes exchanged where the filter is a column.
private struct WinogradWork: Sendable {
    let convolution: ConvolutionRequest
    let isTransposed: Bool
    let rows: WinogradPoints
    let columns: WinogradPoints
    let tilesDown: Int
    let tilesAcross: Int

    init(_ lowering: WinogradConvolutionLowering, _ convolution: ConvolutionRequest, isTransposed: Bool) {
        self.convolution = convolution
        self.isTransposed = isTransposed
        rows = lowering.rows
        columns = lowering.columns
        let output = isTransposed ? convolution.geometry.output.reversed() : convolution.geometry.output
        tilesDown = (output[0] + lowering.rows.outputs - 1) / lowering.rows.outputs
        tilesAcross = (output[1] + lowering.columns.outputs - 1) / lowering.columns.outputs
    }

    var product: Product {
        Product(rows: tiles, columns: outputs, depth: channels, stack: products, isDivisible: false)
    }

    private var products: Int { rows.inputs * columns.inputs }
    private var tiles: Int { convolution.output.shape[0] * tilesDown * tilesAcross }
    private var channels: Int { convolution.input.shape[1] }
    private var outputs: Int { convolution.output.shape[1] }
    private var paddedChannels: Int { channels.roundedUp(to: 4) }
    private var paddedOutputs: Int { outputs.roundedUp(to: 4) }
    private var inputCount: Int { products * tiles * paddedChannels }
    /// The floats of transformed inputs, followed by those of sums.
    var scratchCount: Int { inputCount + products * tiles * paddedOutputs }

    func microseconds(_ speed: OpenCLSpeed, _ division: SplitK) -> Double {
        let values = convolution.input.elementCount + convolution.output.elementCount
        let transforms = speed.microseconds(multiplyAdds: 0, byteCount: 4 * (values + scratchCount))
        return transforms + speed.startMicroseconds
            + speed.microseconds(division, byteCount: 4 * (scratchCount + products * channels * paddedOutputs))
    }

    func calls(_ operands: StepOperands, _ division: SplitK) throws -> [KernelCall] {
        let input = try ImageValue(try operands.input(0))
        let output = try ImageValue(operands.outputs[0])
        let addend = try convolution.addend(operands)
        let transformed = operands.scratch.floats(from: 0, count: inputCount)
        let sums = operands.scratch.floats(from: inputCount, count: products * tiles * paddedOutputs)
        let bias = convolution.biasArgument(paddedColumns: paddedOutputs)
        let product = MatrixCalls(
            stack: products, rows: tiles, columns: outputs, depth: channels, left: transformed,
            leftStackStride: tiles * paddedChannels, leftRowStride: paddedChannels, right: weights,
            rightStackStride: channels * paddedOutputs, rightRowStride: paddedOutputs, rightColumns: paddedOutputs,
            isRightPadded: true, bias: zeros, output: sums, outputStackStride: tiles * paddedOutputs,
            outputRowStride: paddedOutputs)
        return [try transformInput(input, to: transformed)]
            + product.calls(division, scratch: operands.scratch)
            + [transformOutput(sums, bias: bias, addend: addend, to: output)]
    }

    private var macros: [String: String] {
        [
            "ROW_PAIRS": "\(rows.pairs)", "ROW_OUTPUTS": "\(rows.outputs)", "COLUMN_PAIRS": "\(columns.pairs)",
            "COLUMN_OUTPUTS": "\(columns.outputs)",
        ]
    }

    /// The vectors have at most two elements; wider ones need more registers than work-items have.
    private func macros(vector: Int) -> [String: String] {
        macros.merging(["VECTOR": "\(vector)"]) { $1 }
    }

    /// The strides of images, rows and pixels, the last two exchanged where the axes are.
    private func strides(_ value: ImageValue) -> [KernelCall.Argument] {
        let view = value.view
        let inner = isTransposed ? [view.pixelStride, view.rowStride] : [view.rowStride, view.pixelStride]
        return [.long(view.imageStride)] + ints(inner)
    }

    /// A pair of values for height and width, exchanged where the axes are.
    private func exchanged(_ pair: [Int]) -> [Int] { isTransposed ? pair.reversed() : pair }

    private func transformInput(_ input: ImageValue, to transformed: Operand) throws -> KernelCall {
        let vector = min(2, ([channels] + input.vectorUnits).vectorWidth)
        var arguments: [KernelCall.Argument] = [.operand(input.operand), .operand(transformed)]
        arguments += ints([tiles, tilesDown, tilesAcross, channels])
        arguments += ints(exchanged([input.view.height, input.view.width])) + strides(input)
        arguments += ints(exchanged(Array(convolution.geometry.padsBegin)))
        arguments += [.long(tiles * paddedChannels), .int(Int32(paddedChannels))]
        return KernelCall(
            .winograd, kernel: "transform_input", macros: macros(vector: vector), arguments: arguments,
            global: [channels / vector, tiles])
    }

    private func transformOutput(
        _ sums: Operand, bias: KernelCall.Argument, addend: ImageValue?, to output: ImageValue
    ) -> KernelCall {
        let vector = min(2, ([outputs] + output.vectorUnits + (addend?.vectorUnits ?? [])).vectorWidth)
        var arguments: [KernelCall.Argument] = [
            .operand(sums), bias, .operand(addend?.operand ?? output.operand), .operand(output.operand),
        ]
        arguments += ints([tiles, tilesDown, tilesAcross, outputs])
        arguments += [.long(tiles * paddedOutputs), .int(Int32(paddedOutputs))]
        arguments += ints(exchanged([output.view.height, output.view.width])) + strides(output)
        arguments += [.int(addend == nil ? 0 : 1)] + (addend.map(strides) ?? [.long(0), .int(0), .int(0)])
        arguments += Epilogue.arguments(convolution.operation.activation)
        return KernelCall(
            .winograd, kernel: "transform_output", macros: macros(vector: vector), arguments: arguments,
            global: [outputs / vector, tiles])
    }

    /// The bias of the product, which adds nothing to the sums.
    private var zeros: KernelCall.Argument {
        let count = paddedOutputs
        return .constant(convolution.weights, packing: "zeros/\(count)") { _ in
            try Tensor([Float](repeating: 0, count: count), shape: [count])
        }
    }

    /// The transformed filters, with the axes exchanged where those of the tiles are.
    private var weights: KernelCall.Argument {
        let (rows, columns, isTransposed, padded) = (rows, columns, isTransposed, paddedOutputs)
        let packing = "winograd/\(rows.inputs)x\(columns.inputs)/\(rows.taps)x\(columns.taps)/\(isTransposed)"
        return .constant(convolution.weights, packing: packing) { tensor in
            let filters = isTransposed ? try tensor.transposed([0, 1, 3, 2]) : tensor
            return try WinogradPoints.transform(filters, rows: rows, columns: columns, paddedOutputs: padded)
        }
    }
}
