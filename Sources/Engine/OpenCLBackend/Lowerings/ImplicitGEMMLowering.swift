import Graphs
import Planning

/// Runs any 2-D convolution as a product with rows gathered by address; a 1×1 convolution with stride 1 as a plain
/// product.
struct ImplicitGEMMLowering: Lowering {
    let speed: OpenCLSpeed
    let tiles: [TileShape]
    /// Whether this is the plain product of 1×1 convolutions with stride 1.
    let isPointwise: Bool
    let name: String

    init(_ device: DeviceInformation, _ tiles: [TileShape], _ precision: MatrixPrecision, isPointwise: Bool) {
        self.isPointwise = isPointwise
        name = (isPointwise ? "pointwise-gemm" : "implicit-gemm") + precision.suffix
        speed = OpenCLSpeed(device)
        self.tiles = tiles
    }

    func lower(_ request: LoweringRequest) -> LoweringResponse {
        let convolution: ConvolutionRequest
        do { convolution = try request.convolution() } catch { return error.answer }
        let geometry = convolution.geometry
        let hasUnitStride = geometry.strides == [1, 1] && geometry.kernel == [1, 1]
        if isPointwise, !hasUnitStride || (geometry.padsBegin + geometry.padsEnd).contains(where: { $0 != 0 }) {
            return .decline("not 1×1 with stride 1 and without padding")
        }
        let group = convolution.operation.group
        let columns = convolution.weights.shape[0] / group
        let depth = convolution.weights.shape[1...].reduce(1, *)
        let rows = convolution.output.elementCount / convolution.output.shape[1]
        let product = Product(
            rows: rows, columns: columns, depth: depth, stack: group, isDivisible: group == 1)
        let cost = request.cost
        return product.answer(tiles, at: speed) { division in
            Candidate(
                microseconds: speed.microseconds(division, byteCount: cost.bytes),
                inputLayouts: convolution.inputLayouts(), outputLayouts: [.channelsLast],
                scratchByteCount: MatrixCalls.scratchCount(division, rows: rows, columns: columns) * 4,
                makeDeviceStep: { [isPointwise] operands in
                    let parts = try ConvolutionParts(convolution, operands, division)
                    return KernelStep(isPointwise ? parts.pointwiseCalls : parts.calls)
                })
        }
    }
}

/// The operands of a convolution as a product, and the kernels that compute it.
private struct ConvolutionParts {
    let convolution: ConvolutionRequest
    let division: SplitK
    let input: ImageValue
    let output: ImageValue
    let epilogue: Epilogue
    let scratch: Operand
    let group: Int
    /// The input channels of one group.
    let channels: Int
    let columns: Int
    let paddedColumns: Int

    init(_ convolution: ConvolutionRequest, _ operands: StepOperands, _ division: SplitK) throws {
        self.convolution = convolution
        self.division = division
        input = try ImageValue(try operands.input(0))
        output = try ImageValue(operands.outputs[0])
        scratch = operands.scratch
        group = convolution.operation.group
        channels = convolution.weights.shape[1]
        columns = convolution.weights.shape[0] / group
        paddedColumns = columns.roundedUp(to: 4)
        epilogue = Epilogue(
            bias: convolution.biasArgument(paddedColumns: paddedColumns), addend: try convolution.addend(operands),
            activation: convolution.operation.activation)
    }

    private var weights: KernelCall.Argument {
        division.tiles.words.map { convolution.weightsArgument($0) }
            ?? convolution.weightsArgument(paddedColumns: paddedColumns)
    }

    /// The elements or words from one row of the weights to the next.
    private var weightsPitch: Int {
        division.tiles.words?.count(depth: convolution.weights.shape[1...].reduce(1, *)) ?? paddedColumns
    }

    private var rows: Int { output.view.count * output.view.pixelCount }

    /// Whether rows and images of a view follow one another without gaps, so that its pixels are the rows of a matrix.
    private func isMatrix(_ value: ImageValue) -> Bool {
        let view = value.view
        return view.rowStride == view.width * view.pixelStride && view.imageStride == view.height * view.rowStride
    }

    var pointwiseCalls: [KernelCall] {
        guard ([input, output] + [epilogue.addend].compactMap { $0 }).allSatisfy(isMatrix) else { return calls }
        let product = MatrixCalls(
            stack: group, rows: rows, columns: columns, depth: channels, left: input.operand,
            leftStackStride: channels, leftRowStride: input.view.pixelStride,
            right: weights, rightStackStride: (division.tiles.words == nil ? channels : columns) * weightsPitch,
            rightRowStride: weightsPitch, rightColumns: division.tiles.words == nil ? paddedColumns : columns,
            isRightPadded: true, bias: epilogue.bias, biasStackStride: paddedColumns,
            addend: epilogue.addend?.operand, addendStackStride: columns,
            addendRowStride: epilogue.addend?.view.pixelStride ?? 0, output: output.operand,
            outputStackStride: columns, outputRowStride: output.view.pixelStride, activation: epilogue.activation)
        return product.calls(division, scratch: scratch)
    }

    var calls: [KernelCall] {
        let tiles = division.tiles
        let geometry = convolution.geometry
        let isDivided = division.parts > 1
        let partial = scratch.floats(from: 0, count: division.parts * rows * paddedColumns)
        let outputWidth = ([columns] + output.vectorUnits + (epilogue.addend?.vectorUnits ?? [])).vectorWidth
        var macros = tiles.macros
        macros["LEFT_VECTOR"] = ([channels] + input.vectorUnits).vectorWidth == 4 ? "4" : "1"
        macros["RIGHT_VECTOR"] = "4"
        macros["OUTPUT_VECTOR"] = (isDivided ? columns % 4 == 0 : outputWidth == 4) ? "4" : "1"
        macros["ACTIVATION"] = "\(Epilogue.number(epilogue.activation))"
        if isDivided { macros["PARTIAL"] = "1" }
        let (height, width) = (output.view.height, output.view.width)
        let partialStrides: [KernelCall.Argument] = [
            .long(height * width * paddedColumns), .int(Int32(width * paddedColumns)), .int(Int32(paddedColumns)),
        ]
        var arguments: [KernelCall.Argument] = [
            .operand(input.operand), weights, epilogue.bias,
            epilogue.addendArgument(insteadOf: output.operand), .operand(isDivided ? partial : output.operand),
        ]
        arguments += ints([rows, columns, weightsPitch, channels, input.view.height, input.view.width])
        arguments += input.strides
        arguments += ints(geometry.kernel + geometry.strides + geometry.dilations + geometry.padsBegin)
        arguments += ints([height, width]) + (isDivided ? partialStrides : output.strides)
        arguments += epilogue.addendArguments + epilogue.activationArguments.dropFirst()
        arguments += ints([division.parts, division.partDepth]) + [.long(rows * paddedColumns)]
        let product = KernelCall(
            tiles.convolutionSource, kernel: "convolution", macros: macros, arguments: arguments,
            global: tiles.global(rows: rows, columns: columns, stack: group * division.parts), local: tiles.group)
        guard isDivided else { return [product] }
        let sums = SplitKReduction(
            rows: rows, columns: columns, height: height, width: width, partColumns: paddedColumns,
            division: division, parts: partial, bias: epilogue.bias, addend: epilogue.addend?.operand,
            output: output.operand, vectorWidth: outputWidth, activation: epilogue.activation,
            addendStrides: Array(epilogue.addendArguments.dropFirst()), outputStrides: output.strides)
        return [product, sums.call]
    }
}
