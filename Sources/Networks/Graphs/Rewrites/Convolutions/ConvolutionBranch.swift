import Tensors

/// A convolution with constant weights, or what equals one: a batch normalisation, or the value itself.
struct ConvolutionBranch {
    /// The value that is convolved.
    let input: Graph.ValueID
    let elementType: ElementType
    let group: Int
    /// `[features, channels of a group, kernel…]`
    let shape: [Int]
    var weights: [Double]
    /// One number for each feature.
    var bias: [Double]
    /// Along each axis.
    let strides: [Int], dilations: [Int], pads: [Int]
    /// The padding at the end of each axis.
    let endPads: [Int]

    var kernel: [Int] { Array(shape[2...]) }
    private var features: Int { shape[0] }
    private var taps: Int { kernel.reduce(1, *) }

    /// A convolution without activation and addend; nil when its padding depends on its input.
    init?(_ node: Graph.Node, _ operation: Conv, _ edit: GraphEdit) {
        guard operation.activation == nil, node.inputs.count <= Conv.addendPosition, let input = node.inputs[0],
            let weights = edit.constant(node.inputs[1]), Self.isExact(weights.elementType), weights.shape.count >= 3,
            weights.shape[0] % operation.group == 0
        else { return nil }
        let biasID = node.inputs.count > 2 ? node.inputs[2] : nil
        guard biasID == nil || edit.constant(biasID)?.elementCount == weights.shape[0] else { return nil }
        let axes = weights.shape.count - 2
        func extents(_ values: [Int], _ usual: Int) -> [Int] {
            values.isEmpty ? [Int](repeating: usual, count: axes) : values
        }
        self.input = input
        elementType = weights.elementType
        group = operation.group
        shape = weights.shape
        self.weights = weights.elements(as: Double.self)
        bias = edit.constant(biasID)?.elements(as: Double.self) ?? [Double](repeating: 0, count: weights.shape[0])
        strides = extents(operation.window.strides, 1)
        dilations = extents(operation.window.dilations, 1)
        guard strides.count == axes, dilations.count == axes,
            let pads = Self.pads(operation.window, kernel: Array(shape[2...]), strides, dilations),
            pads.count == 2 * axes
        else { return nil }
        self.pads = Array(pads.prefix(axes))
        endPads = Array(pads.suffix(axes))
    }

    /// The padding at the begin and then at the end of each axis; nil when it depends on the input's extents.
    private static func pads(
        _ window: SpatialWindow, kernel: [Int], _ strides: [Int], _ dilations: [Int]
    ) -> [Int]? {
        if window.isUnpadded { return [Int](repeating: 0, count: 2 * kernel.count) }
        guard window.autoPad != .notSet else { return window.pads }
        guard strides.allSatisfy({ $0 == 1 }) else { return nil }
        let totals = zip(kernel, dilations).map { ($0 - 1) * $1 }
        let smaller = totals.map { $0 / 2 }, larger = totals.map { $0 - $0 / 2 }
        return window.autoPad == .sameUpper ? smaller + larger : larger + smaller
    }

    /// Adds `factor` · other to this.
    ///
    /// - Returns: Whether every tap of the other convolution is one of this.
    mutating func add(_ other: ConvolutionBranch, factor: Double) -> Bool {
        guard other.input == input, other.elementType == elementType, other.group == group,
            other.shape[..<2] == shape[..<2], other.shape.count == shape.count, other.strides == strides
        else { return false }
        var offsets: [Int] = []
        for axis in kernel.indices {
            let distance = pads[axis] - other.pads[axis]
            guard other.kernel[axis] == 1 || other.dilations[axis] == dilations[axis], distance >= 0,
                distance % dilations[axis] == 0
            else { return false }
            offsets.append(distance / dilations[axis])
            guard offsets[axis] + other.kernel[axis] <= kernel[axis] else { return false }
        }
        let filters = shape[0] * shape[1]
        for tap in 0..<other.taps {
            var (rest, place, distance) = (tap, 0, 1)
            for axis in kernel.indices.reversed() {
                place += (offsets[axis] + rest % other.kernel[axis]) * distance
                rest /= other.kernel[axis]
                distance *= kernel[axis]
            }
            for filter in 0..<filters {
                weights[filter * taps + place] += factor * other.weights[filter * other.taps + tap]
            }
        }
        for feature in bias.indices { bias[feature] += factor * other.bias[feature] }
        return true
    }

    /// Adds `factor` · affine(x) to this, where x is the value that is convolved.
    ///
    /// - Returns: Whether the convolution has a tap at the place of each result, and as many features as x has
    ///   channels.
    mutating func add(_ affine: ChannelAffine, factor: Double) -> Bool {
        guard affine.isFinite, affine.scale.count == features, shape[1] * group == features,
            strides.allSatisfy({ $0 == 1 })
        else { return false }
        var place = 0
        for axis in kernel.indices {
            guard pads[axis] % dilations[axis] == 0, pads[axis] / dilations[axis] < kernel[axis] else { return false }
            place = place * kernel[axis] + pads[axis] / dilations[axis]
        }
        for feature in 0..<features {
            let filter = feature * shape[1] + feature % shape[1]
            weights[filter * taps + place] += factor * affine.scale[feature]
            bias[feature] += factor * affine.shift[feature]
        }
        return true
    }

    mutating func negate() {
        for index in weights.indices { weights[index].negate() }
        for index in bias.indices { bias[index].negate() }
    }

    /// The convolution with an activation; nil when a number is not finite in its element type.
    func node(
        like node: Graph.Node, _ activation: Activation?, output: Graph.ValueID?, _ edit: inout GraphEdit
    ) -> Graph.Node? {
        let limit = elementType == .float32 ? Double(Float.greatestFiniteMagnitude) : .infinity
        guard (weights + bias).allSatisfy({ abs($0) <= limit }),
            let weights = try? Tensor(weights, as: elementType, shape: shape),
            let bias = try? Tensor(bias, as: elementType, shape: [shape[0]])
        else { return nil }
        return Graph.Node(
            name: node.name,
            operation: Conv(
                group: group, kernel: kernel, strides: strides, dilations: dilations, pads: pads + endPads,
                activation: activation),
            inputs: [
                input, edit.addConstant("\(node.name).weight", weights), edit.addConstant("\(node.name).bias", bias),
            ],
            outputs: [output])
    }

    private static func isExact(_ type: ElementType) -> Bool { type == .float32 || type == .float64 }
}
