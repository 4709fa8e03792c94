import Graphs
import Tensors

extension TFLiteGraphReader {
    /// The window of a convolution or pooling: padding, strides and dilations from its options.
    private func window(
        _ node: TFLiteNode, kernel: [Int], dilations: (height: Int, width: Int)?
    ) throws(FormatError) -> SpatialWindow {
        var window = SpatialWindow(
            kernel: kernel, strides: [try node.int(2), try node.int(1)], autoPad: try autoPad(node))
        if let dilations {
            window.dilations = [
                try node.int(dilations.height, default: 1), try node.int(dilations.width, default: 1),
            ]
        }
        let numbers = window.kernel + window.strides + window.dilations
        guard numbers.allSatisfy({ (1...Int(Int32.max)).contains($0) }) else {
            throw node.invalid("kernel \(kernel), strides \(window.strides), dilations \(window.dilations)")
        }
        return window
    }

    private func autoPad(_ node: TFLiteNode) throws(FormatError) -> SpatialWindow.AutoPad {
        switch try node.byte(0) {
        case 0: return .sameUpper
        case 1: return .valid
        case let other: throw node.invalid("padding \(other)")
        }
    }

    mutating func addConvolution(_ node: TFLiteNode) throws(FormatError) {
        let isDepthwise = node.kind == .depthwiseConv2D
        let (input, weights) = (try node.input(0), try node.input(1))
        guard rank(input) == 4, rank(weights) == 4 else { throw node.invalid("operands must have four axes") }
        let weightExtents = try extents(weights, fixing: 0..<4, node)
        let channels = try extents(input, fixing: [3], node)[3]
        let group = isDepthwise ? channels : max(1, weightExtents[3] > 0 ? channels / weightExtents[3] : 1)
        let window = try window(
            node, kernel: [weightExtents[1], weightExtents[2]], dilations: isDepthwise ? (6, 5) : (5, 4))
        guard group >= 1 else { throw node.invalid("the input \(extents(input)) has no channels") }
        var convolution = Conv(group: group)
        convolution.window = window
        let activation = try node.activation(isDepthwise ? 4 : 3)
        let order = isDepthwise ? [3, 0, 1, 2] : [0, 3, 1, 2]
        if let requantization = try requantization(node, activation, outputChannelAxis: isDepthwise ? 3 : 0) {
            let operation = IntegerConv(
                convolution, inputZeroPoint: zeroPoint(input), weightZeroPoint: zeroPoint(weights),
                requantization: requantization)
            var operands: [Graph.ValueID?] = [try channelsFirst(input), try arranged(weights, order, node)]
            if let bias = node.optionalInput(2) { operands.append(try plain(bias)) }
            define(try node.output(), channelsFirst: try apply(operation, operands, node))
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            var operands: [Graph.ValueID?] = [
                try reader.channelsFirst(input), try reader.arranged(weights, order, node),
            ]
            if let bias = node.optionalInput(2) { operands.append(try reader.plain(bias)) }
            let value = try reader.apply(convolution, operands, node)
            return (try reader.activated(value, activation, node), true)
        }
    }

    /// The common zero point of a tensor's slices.
    func zeroPoint(_ index: Int) -> Int32 {
        Int32(clamping: subgraph.tensors[index].quantization?.zeroPoints.first ?? 0)
    }

    /// The requantization of a product's sums to its output; nil when the operands are not integers.
    ///
    /// - Parameters:
    ///   - input: The position of the input that is multiplied by the weights, which are the second input.
    func requantization(
        _ node: TFLiteNode, _ activation: TFLiteActivation, outputChannelAxis: Int, input: Int = 0
    ) throws(FormatError) -> Requantization? {
        let (input, weights, output) = (try node.input(input), try node.input(1), try node.output())
        guard let x = quantization(input), let y = quantization(output), let w = subgraph.tensors[weights].quantization,
            let type = elementType(output), type == elementType(input), activation != .tanh,
            let weightType = elementType(weights), weightType.byteCount == 1, weightType != .bool
        else { return nil }
        guard w.scales.count == 1 || w.axis == outputChannelAxis, Set(w.zeroPoints).count == 1 else {
            throw node.unsupported("weights with \(w)")
        }
        // TensorFlow Lite rounds the product of scales to float32 where it takes one scale for all weights.
        let isPerTensor =
            switch node.kind {
            case .fullyConnected: w.scales.count == 1
            case .batchMatMul: true
            default: type == .uint8
            }
        let multipliers = try node.checked { () throws(OperatorError) in
            var multipliers: [FixedPointMultiplier] = []
            for scale in w.scales {
                let product =
                    isPerTensor ? Double(x.scales[0] * scale) : Double(x.scales[0]) * Double(scale)
                multipliers.append(try FixedPointMultiplier(product / Double(y.scales[0])))
            }
            return multipliers
        }
        return Requantization(
            .fixedPoint(multipliers), zeroPoint: Int32(clamping: y.zeroPoints[0]),
            range: TFLiteQuantization.range(activation, y, type), elementType: type,
            hasWideSums: type == .int16, roundsOnce: node.kind == .fullyConnected)
    }

    /// A tensor with permuted axes; the elements of a constant are rearranged.
    mutating func arranged(
        _ index: Int, _ order: [Int], _ node: TFLiteNode
    ) throws(FormatError) -> Graph.ValueID {
        let value = try plain(index)
        if let constant = try wideWeights(value) {
            guard let moved = try? constant.transposed(order).contiguous() else {
                throw node.invalid("weights \(constant.shape) do not have the axes \(order)")
            }
            let id = addConstant(moved, "\(writer.graph[value].name)/arranged")
            if !readsNumbers, var quantization = subgraph.tensors[index].quantization {
                quantization.axis = quantization.axis.flatMap { order.firstIndex(of: $0) }
                writer.graph.values[id.index].quantization = quantization
            }
            return id
        }
        return try apply(Transpose(permutation: order), [value], "\(node.name)/weights")[0]
    }

    /// Constant weights, those of 4 bits as integers of 8 bits; nil where they are computed.
    private func wideWeights(_ value: Graph.ValueID) throws(FormatError) -> Tensor? {
        guard let constant = writer.graph.initializers[value], constant.elementType == .int4 else {
            return writer.graph.initializers[value]
        }
        do throws(TensorError) { return try constant.converted(to: .int8) } catch { throw FormatError(error) }
    }

    mutating func addFullyConnected(_ node: TFLiteNode) throws(FormatError) {
        let (input, weights) = (try node.input(0), try node.input(1))
        let activation = try node.activation(0)
        guard try node.byte(1) == 0 else { throw node.unsupported("shuffled weights") }
        let weightExtents = try extents(weights, fixing: 0..<2, node)
        guard weightExtents.count == 2 else { throw node.invalid("weights \(weightExtents) must have two axes") }
        let output = try node.output()
        let keepsAxes = try node.bool(2)
        let leading = rank(input) - 1
        if let requantization = try requantization(node, activation, outputChannelAxis: 0) {
            // Every row becomes a pixel.
            let rows = try apply(
                Reshape(), [try plain(input), try addIntegers([-1, weightExtents[1], 1, 1], node)], "\(node.name)/rows")[
                    0]
            let kernel = try matrixAsKernel(weights, node)
            let operation = IntegerConv(
                Conv(), inputZeroPoint: zeroPoint(input), weightZeroPoint: zeroPoint(weights),
                requantization: requantization)
            var operands: [Graph.ValueID?] = [rows, kernel]
            if let bias = node.optionalInput(2) { operands.append(try plain(bias)) }
            let sums = try apply(operation, operands, "\(node.name)/sums")[0]
            let shape = try outputShape(node, weightExtents[0], keepsAxes: keepsAxes, leading: leading)
            define(output, try apply(Reshape(), [sums, shape], node))
            return
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            var value = try reader.plain(input)
            if reader.rank(input) != 2 || reader.openExtents(input)[1] != weightExtents[1] {
                value = try reader.apply(
                    Reshape(), [value, try reader.addIntegers([-1, weightExtents[1]], node)], "\(node.name)/rows")[0]
            }
            var operands: [Graph.ValueID?] = [value, try reader.plain(weights)]
            if let bias = node.optionalInput(2) { operands.append(try reader.plain(bias)) }
            value = try reader.apply(Gemm(transB: true), operands, node)
            value = try reader.activated(value, activation, node)
            if keepsAxes, leading != 1 {
                let shape = try reader.outputShape(node, weightExtents[0], keepsAxes: true, leading: leading)
                value = try reader.apply(Reshape(), [value, shape], "\(node.name)/shape")[0]
            }
            return (value, false)
        }
    }

    /// The shape of a fully connected layer's result: rows and features, or all axes of the input but the last, and
    /// features.
    private mutating func outputShape(
        _ node: TFLiteNode, _ features: Int, keepsAxes: Bool, leading: Int
    ) throws(FormatError) -> Graph.ValueID {
        guard keepsAxes, leading > 1 else { return try addIntegers([-1, features], node) }
        let input = try node.input(0)
        let extents = openExtents(input)
        let x = try plain(input)
        let inner = (1..<leading).map { axis in
            extents[axis].map { .fixed($0) } ?? TFLiteExtent.open(x, axis: axis, nil, 0)
        }
        return try addExtents([.fixed(-1)] + inner + [.fixed(features)], node)
    }

    /// The matrix of a fully connected layer as the kernel of a 1 × 1 convolution.
    private mutating func matrixAsKernel(_ index: Int, _ node: TFLiteNode) throws(FormatError) -> Graph.ValueID {
        let value = try plain(index)
        if let constant = try wideWeights(value),
            let kernel = try? constant.reshaped(to: constant.shape + [1, 1])
        {
            let id = addConstant(kernel, "\(writer.graph[value].name)/kernel")
            writer.graph.values[id.index].quantization = subgraph.tensors[index].quantization
            return id
        }
        let shape = try addIntegers(extents(index) + [1, 1], node)
        return try apply(Reshape(), [value, shape], "\(node.name)/kernel")[0]
    }

    mutating func addPool(_ node: TFLiteNode) throws(FormatError) {
        let window = try window(node, kernel: [try node.int(4), try node.int(3)], dilations: nil)
        let activation = try node.activation(5)
        let (input, output) = (try node.input(0), try node.output())
        guard rank(input) == 4 else { throw node.invalid("the input must have four axes") }
        if let x = quantization(input), let y = quantization(output), x == y, let type = elementType(output),
            activation != .tanh
        {
            let range = TFLiteQuantization.range(activation, y, type)
            if node.kind == .averagePool2D {
                let operation = IntegerAveragePool(window: window, range: range)
                define(output, channelsFirst: try apply(operation, [try channelsFirst(input)], node))
                return
            }
            if range == type.quantizedRange {
                define(output, channelsFirst: try apply(maxPool(window), [try channelsFirst(input)], node))
                return
            }
        }
        try addOnNumbers(node) { reader throws(FormatError) in
            var operation: any Operator = reader.maxPool(window)
            if node.kind == .averagePool2D {
                operation = AveragePool(kernel: window.kernel, strides: window.strides, autoPad: window.autoPad)
            }
            let value = try reader.apply(operation, [try reader.channelsFirst(input)], node)
            return (try reader.activated(value, activation, node), true)
        }
    }

    private func maxPool(_ window: SpatialWindow) -> MaxPool {
        MaxPool(kernel: window.kernel, strides: window.strides, autoPad: window.autoPad)
    }
}
