import Graphs
import Planning
import Tensors

/// A 2-D convolution of 8-bit integers: IntegerConv, QLinearConv, ConvInteger, or ConvIntegerToFloat without an offset.
struct ByteConvolution: Sendable {
    /// The positions of weights and zero points among the inputs.
    private struct Positions {
        let weights: Int
        var inputPoint, weightPoint: Int?
    }

    private let positions: Positions
    let input, output: TensorType
    /// `[M, C / group, height, width]`
    let weights: TensorType
    let geometry: SpatialWindow.Geometry
    let group: Int
    private let inputPoints, weightPoints: ByteZeroPoints
    /// The weights where they and their zero points are part of the network.
    private let constant: Tensor?
    /// How sums become bytes, and their bias; nil where they do not.
    private let requantization: (Requantization, bias: Tensor?)?
    /// How sums become numbers; nil where they do not.
    private var scaling: (bias: Tensor?, activation: Activation?)?

    init(_ request: LoweringRequest) throws(LoweringRefusal) {
        switch request.operation {
        case is IntegerConv:
            self = try ByteConvolution(request, try request.specialized() as IntegerConvolutionRequest)
        case let linear as QLinearConv:
            let channels = request.inputs.optional(3)?.shape.first ?? 0
            let requantization = try request.requantization(scales: (1, 4, 6), zeroPoint: 7, columns: channels)
            let bias = request.constants.optional(8)
            guard bias != nil || request.inputs.optional(8) == nil else {
                throw LoweringRefusal("the bias is computed at run time")
            }
            self = try ByteConvolution(
                request, linear.convolution, Positions(weights: 3, inputPoint: 2, weightPoint: 5),
                (requantization, bias))
        case let sums as ConvInteger:
            self = try ByteConvolution(
                request, sums.convolution, Positions(weights: 1, inputPoint: 2, weightPoint: 3), nil)
        case let product as ConvIntegerToFloat:
            guard request.inputs.optional(ConvIntegerToFloat.offsetPosition) == nil else {
                throw LoweringRefusal("integers are added to the sums")
            }
            let bias = request.constants.optional(ConvIntegerToFloat.biasPosition)
            guard bias != nil || request.inputs.optional(ConvIntegerToFloat.biasPosition) == nil else {
                throw LoweringRefusal("the bias is computed at run time")
            }
            self = try ByteConvolution(
                request, product.sums.convolution, Positions(weights: 1, inputPoint: 2, weightPoint: 3), nil)
            scaling = (bias, product.activation)
        default: throw .otherOperator
        }
    }

    private init(_ request: LoweringRequest, _ convolution: IntegerConvolutionRequest) throws(LoweringRefusal) {
        let operation = convolution.operation
        if let refusal = convolution.refusalOnDevice { throw LoweringRefusal(refusal) }
        positions = Positions(weights: 1)
        (input, output, weights) = (convolution.input, convolution.output, TensorType(convolution.weights))
        (geometry, group) = (convolution.geometry, operation.convolution.group)
        (inputPoints, weightPoints) = (.known([operation.inputZeroPoint]), .known([operation.weightZeroPoint]))
        constant = convolution.weights
        requantization = (operation.requantization, convolution.bias)
    }

    private init(
        _ request: LoweringRequest, _ convolution: Conv, _ positions: Positions,
        _ requantization: (Requantization, bias: Tensor?)?
    ) throws(LoweringRefusal) {
        guard let input = request.inputs.optional(0), let weights = request.inputs.optional(positions.weights),
            let output = request.outputs.first
        else { throw LoweringRefusal("an operand is missing") }
        guard input.rank == 4 else { throw LoweringRefusal("\(input.rank - 2) spatial axes, not 2") }
        guard input.elementType.isQuantizedByte, weights.elementType.isQuantizedByte else {
            throw LoweringRefusal("elements are \(input.elementType) and \(weights.elementType)")
        }
        guard input.elementCount > 0, output.elementCount > 0 else { throw LoweringRefusal("a value is empty") }
        guard let geometry = try? convolution.geometry(x: input.shape, w: weights.shape) else {
            throw LoweringRefusal("the window does not fit")
        }
        guard [input, output, weights].allSatisfy({ $0.elementCount <= Int(Int32.max) }) else {
            throw LoweringRefusal("extents exceed integers of 32 bits")
        }
        let bias = requantization?.bias?.elements(as: Int32.self).reduce(0) { max($0, Int($1.magnitude)) } ?? 0
        guard Self.largestSum(weights) + bias <= Int(Int32.max) else {
            throw LoweringRefusal("sums may exceed 32 bits")
        }
        self.positions = positions
        (self.input, self.output, self.weights) = (input, output, weights)
        (self.geometry, group) = (geometry, convolution.group)
        self.requantization = requantization
        inputPoints = try request.zeroPoints(positions.inputPoint ?? 0, of: input, along: [1, 1])
        weightPoints = try request.zeroPoints(positions.weightPoint ?? 0, of: weights, along: [1, weights.shape[0]])
        if case .known = weightPoints {
            constant = request.constants.optional(positions.weights)
        } else {
            constant = nil
        }
        guard wordCount <= Int(Int32.max) else { throw LoweringRefusal("extents exceed integers of 32 bits") }
    }

    /// The largest magnitude of a sum: 255 · 255 for each product.
    static func largestSum(_ weights: TensorType) -> Int { weights.shape[1...].reduce(255 * 255, *) }

    var columns: Int { weights.shape[0] / group }
    var channels: Int { weights.shape[1] }
    private var taps: Int { geometry.kernel.reduce(1, *) }
    var packsWeights: Bool { constant == nil }
    var wordCount: Int { ByteWords.count(parts: group, columns: columns, channels: channels, taps: taps) }
    /// The words of a row of the product.
    var depth: Int { (channels + 3) / 4 * taps }

    /// Whether kernels read an input as it is, besides the first.
    func reads(_ index: Int) -> Bool {
        if index == positions.weights { return packsWeights }
        if scaling != nil, index == ConvIntegerToFloat.scalePosition { return true }
        return index == positions.inputPoint || index == positions.weightPoint
    }

    private func words(_ operands: StepOperands) throws -> ByteWords {
        if let constant, case .known(let points) = weightPoints {
            return ByteWeights(group: group, zeroPoints: points, elementType: weights.elementType).words(constant)
        }
        var points: KernelCall.ZeroPointArguments
        if case .known(let numbers) = weightPoints, numbers.count > 1, let input = positions.weightPoint {
            points = KernelCall.ZeroPointArguments(.operand(try operands.input(input).onDevice()))
            points.step = 1
        } else {
            points = try KernelCall.ZeroPointArguments(weightPoints, operands)
        }
        points.stackStride = points.step * columns
        return ComputedBytes(
            operand: try operands.input(positions.weights).onDevice(), zeroPoints: points, parts: group,
            columns: columns, channels: channels, taps: taps, partStride: columns * channels * taps,
            columnStride: channels * taps, channelStride: taps, tapStride: 1
        ).words(in: operands.scratch)
    }

    func calls(_ tiles: TileShape, _ dot: IntegerDot, _ operands: StepOperands) throws -> [KernelCall] {
        let words = try words(operands)
        let numbers = try scaling.map { bias, activation in
            IntegerResult.numbers(
                IntegerResult.Numbers(
                    rowScales: .operand(try operands.input(ConvIntegerToFloat.scalePosition).onDevice()),
                    rowScaleStep: 0, scales: try Tensor([Float(1)], shape: []), bias: bias, addend: nil,
                    activation: activation))
        }
        let product = try call(
            tiles, dot, try operands.input(0), words, try KernelCall.ZeroPointArguments(inputPoints, operands),
            to: operands.outputs[0], as: numbers)
        return [words.packing, product].compactMap { $0 }
    }

    /// The convolution, and stages through which its bytes go before they are stored; nil where it does more than
    /// multiply by constants.
    func followedByStages(
        _ tiles: TileShape, _ dot: @escaping @Sendable () -> IntegerDot, inputCount: Int
    ) -> StagedBytes? {
        guard let constant, case .known(let points) = weightPoints, let point = inputPoints.number,
            requantization != nil
        else { return nil }
        return StagedBytes(inputCount: inputCount) { input, output, chain in
            let words = ByteWeights(group: group, zeroPoints: points, elementType: weights.elementType).words(constant)
            return try call(
                tiles, dot(), input, words, KernelCall.ZeroPointArguments(point), to: output, through: chain)
        }
    }

    private func call(
        _ tiles: TileShape, _ dot: IntegerDot, _ input: Operand, _ words: ByteWords,
        _ points: KernelCall.ZeroPointArguments, to output: Operand, as numbers: IntegerResult? = nil,
        through chain: ElementwiseChain? = nil
    ) throws -> KernelCall {
        let (from, to) = (try ImageValue(input), try ImageValue(output))
        let rows = to.view.count * to.view.pixelCount
        let pitch = ByteWords.pitch(columns: columns)
        let result = numbers ?? requantization.map { IntegerResult.bytes($0, bias: $1, chain) } ?? .sums
        let inputUnits = [channels] + from.vectorUnits
        // Four words at a time are read where a tap's words are a multiple of four, too.
        let adjacentWords = inputUnits.areMultiples(of: 16) ? 4 : 1
        var macros = tiles.macros.merging(dot.macros(isSigned: input.elementType == .int8)) { $1 }
        macros.merge(result.macros(to: to.operand)) { $1 }
        macros["LEFT_WORDS"] = "\(adjacentWords)"
        macros["ALIGNED"] = inputUnits.areMultiples(of: 4) ? "1" : "0"
        macros["OUTPUT_VECTOR"] = ([columns] + to.vectorUnits).areMultiples(of: 4) ? "4" : "1"
        if words.hasPoints { macros["SUMS_ROWS"] = "1" }
        if points.isInMemory { macros["LEFT_POINTS"] = "1" }
        var arguments: [KernelCall.Argument] = [.operand(from.operand), words.argument]
        arguments += try result.arguments(points, output: to.operand, group: group, columns: columns, pitch: pitch)
        arguments += ints([rows, columns, pitch, channels, (channels + 3) / 4, from.view.height, from.view.width])
        arguments += from.strides
        arguments += ints(geometry.kernel + geometry.strides + geometry.dilations + geometry.padsBegin)
        arguments += ints([to.view.height, to.view.width]) + to.strides
        return KernelCall(
            tiles.integerConvolutionSource(hasStages: chain != nil), kernel: "integer_convolution", macros: macros,
            arguments: arguments,
            global: tiles.global(rows: rows, columns: columns, stack: group), local: tiles.group)
    }
}

extension IntegerConvolutionRequest {
    /// Why a device cannot compute the convolution; nil when it can.
    var refusalOnDevice: String? {
        guard operation.requantization.runsOnDevice else { return "sums of 64 bits" }
        guard input.elementType.isQuantizedByte, weights.elementType.isQuantizedByte else {
            return "elements are \(input.elementType) and \(weights.elementType)"
        }
        let ranges = [(input.elementType, operation.inputZeroPoint), (weights.elementType, operation.weightZeroPoint)]
        guard ranges.allSatisfy({ $0.quantizedRange?.contains($1) ?? false }) else {
            return "a zero point lies outside the range of its type"
        }
        let largest = ByteConvolution.largestSum(TensorType(weights))
        let bias = bias?.elements(as: Int32.self).reduce(0) { max($0, Int($1.magnitude)) } ?? 0
        return largest + bias <= Int(Int32.max) ? nil : "sums may exceed 32 bits"
    }
}
