import Graphs
import Tensors

extension RandomGraph {
    /// Adds a random node that reads existing values, or none when the drawn operator does not fit.
    mutating func addNode() throws {
        let (id, shape) = source()
        switch number(0...29) {
        case 0...3: if shape.count == 4 { try addConvolution(id, shape) }
        case 4, 5: if shape.count == 4 { try addPool(id) }
        case 6...9: try addConcatenation(id, shape)
        case 10, 11: try addSum(id, shape)
        case 12: try append(pick([Relu(), Sigmoid(), Tanh(), HardSwish(), Clip(min: -0.5, max: 0.5)]), [id])
        case 13: try append(pick([Identity(), Neg(), LeakyRelu(alpha: 0.1)]), [id])
        case 14: try addReshape(id, shape)
        case 15: try append(Transpose(permutation: shape.indices.shuffled(using: &generator)), [id])
        case 16: if shape.count == 4 { try addNormalization(id, shape) }
        case 17: try append(Softmax(axis: number(0...shape.count - 1)), [id])
        case 18: try addPart(id, shape)
        case 19: if shape.count == 2 { try addProduct(id, shape) }
        case 20: if shape.count == 4 { try addTransposedConvolution(id, shape) }
        case 21: if shape.count == 4 { try addPoolsOfAllKinds(id, shape) }
        case 22: try addReduction(id, shape)
        case 23: if shape.count == 4 { try addResize(id, shape) }
        case 24: try addPad(id, shape)
        case 25: try addRearrangement(id, shape)
        case 26: try addStatistics(id, shape)
        case 27: try addActivation(id, shape)
        case 28: try addGate(id)
        default: try addComputedProduct(id, shape)
        }
    }

    private mutating func addConvolution(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let channels = shape[1]
        let group = number(0...3) == 0 ? pick([1, 2, 4, channels].filter { channels % $0 == 0 }) : 1
        let kernel = pick([[1, 1], [1, 1], [3, 3], [1, 3], [2, 2], [5, 1], [1, 5]])
        let features = group * pick(group == channels ? [1, 1, 2] : [1, 2, 3, 8, 16, 19])
        let pads = number(0...1) == 0 ? [] : (kernel + kernel).map { number(0...max(1, $0 - 1)) }
        let operation = Conv(
            group: group, kernel: kernel, strides: pick([[], [], [], [2, 2], [1, 2], [3, 1]]),
            dilations: pick([[], [], [], [2, 1], [2, 2]]), pads: pads,
            activation: pick([nil, .relu, .clip(low: -0.5, high: 0.5)]))
        let depth = channels / group * kernel[0] * kernel[1]
        let scale = 1 / Float(depth).squareRoot()
        var reads = [id, weight(try tensor([features, channels / group] + kernel, -scale...scale))]
        if number(0...1) == 0 { reads.append(weight(try tensor([features]))) }
        try append(operation, reads)
    }

    private mutating func addTransposedConvolution(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let group = shape[1] % 2 == 0 && number(0...3) == 0 ? 2 : 1
        let kernel = pick([[1, 1], [2, 2], [3, 3], [2, 1], [3, 2]])
        let strides = pick([[1, 1], kernel, [2, 2]])
        let features = pick([1, 3, 8])
        let pads = number(0...2) == 0 ? (kernel + kernel).map { number(0...($0 - 1)) } : []
        let scale = 1 / Float(shape[1] * kernel[0] * kernel[1]).squareRoot()
        var reads = [id, weight(try tensor([shape[1], features] + kernel, -scale...scale))]
        if number(0...1) == 0 { reads.append(weight(try tensor([features * group]))) }
        try append(ConvTranspose(group: group, kernel: kernel, strides: strides, pads: pads), reads)
    }

    private mutating func addPool(_ id: Graph.ValueID) throws {
        let kernel = pick([[2, 2], [3, 3], [1, 2]])
        let pads = kernel == [3, 3] ? [1, 1, 1, 1] : []
        switch number(0...2) {
        case 0: try append(MaxPool(kernel: kernel, strides: pick([[], [2, 2]]), pads: pads), [id])
        case 1: try append(AveragePool(kernel: kernel, strides: pick([[], [2, 2]]), pads: pads), [id])
        default: try append(GlobalAveragePool(), [id])
        }
    }

    /// Joins two to four values, sometimes one of them twice.
    private mutating func addConcatenation(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let axis = number(0...2) == 0 ? number(0...shape.count - 1) : min(1, shape.count - 1)
        let candidates = sources(joining: shape, along: axis)
        var reads = [id]
        for _ in 0..<number(1...3) { reads.append(pick(candidates).id) }
        reads.shuffle(using: &generator)
        try append(Concat(axis: number(0...1) == 0 ? axis : axis - shape.count), reads)
    }

    /// Adds a sum, product or maximum of values of one shape, or of a value and a broadcast one.
    private mutating func addSum(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let same = sources(joining: shape, along: shape.count)
        switch number(0...5) {
        case 0: try append(Mul(), [id, weight(try tensor(shape.indices.map { $0 == 1 ? shape[1] : 1 }))])
        case 1: try append(Add(), [weight(try tensor([shape[shape.count - 1]])), id])
        case 2: try append(Sum(), [id, pick(same).id, pick(same).id])
        case 3: try append(Max(), [id, pick(same).id])
        default: try append(Add(activation: pick([nil, .relu])), [id, pick(same).id])
        }
    }

    private mutating func addReshape(_ id: Graph.ValueID, _ shape: [Int]) throws {
        switch number(0...4) {
        case 0: try append(Flatten(axis: number(0...shape.count)), [id])
        case 1: try append(Unsqueeze(axes: [number(0...shape.count)]), [id])
        case 2: try append(Squeeze(), [id])
        case 3: try append(Reshape(shape: Array(shape.reversed())), [id])
        default:
            // Reshapes back to a batch of images, so that convolutions can follow.
            let count = shape.reduce(1, *)
            let (channels, rows) = (pick([1, 2, 3, 4]), pick([1, 2, 3]))
            guard count % (channels * rows) == 0 else { return }
            try append(Reshape(shape: [1, channels, rows, -1]), [id])
        }
    }

    private mutating func addNormalization(_ id: Graph.ValueID, _ shape: [Int]) throws {
        if number(0...1) == 0 {
            try append(LRN(size: pick([1, 3, 5]), alpha: 0.1), [id])
            return
        }
        let channels = [shape[1]]
        let statistics = [
            try tensor(channels, 0.5...1.5), try tensor(channels), try tensor(channels, -0.2...0.2),
            try tensor(channels, 0.5...1.5),
        ]
        try append(BatchNormalization(), [id] + statistics.map { weight($0) })
    }

    private mutating func addPart(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let axis = number(0...shape.count - 1)
        let extent = shape[axis]
        if number(0...1) == 0, extent >= 2 {
            let first = number(1...extent - 1)
            try append(Split(axis: axis, extents: [first, extent - first]), [id], outputs: 2)
        } else {
            let start = number(0...extent - 1)
            try append(Slice(starts: [start], ends: [number(start + 1...extent)], axes: [axis]), [id])
        }
    }

    private mutating func addProduct(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let columns = pick([1, 5, 64, 70])
        let scale = 1 / Float(shape[1]).squareRoot()
        let weights = weight(try tensor([shape[1], columns], -scale...scale))
        if number(0...1) == 0 {
            try append(MatMul(), [id, weights])
        } else {
            try append(Gemm(), [id, weights, weight(try tensor([columns]))])
        }
    }

    private mutating func addPoolsOfAllKinds(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let kernel = [number(1...min(4, shape[2] + 1)), number(1...min(4, shape[3] + 1))]
        let pads = number(0...1) == 0 ? [] : (kernel + kernel).map { number(0...($0 - 1)) }
        let (strides, ceilMode) = (pick([[], [2, 2], [1, 3]]), number(0...1) == 0)
        switch number(0...2) {
        case 0:
            try append(
                MaxPool(
                    kernel: kernel, strides: strides, dilations: pick([[], [1, 2], [2, 2]]), pads: pads,
                    ceilMode: ceilMode), [id])
        case 1:
            try append(
                AveragePool(
                    kernel: kernel, strides: strides, pads: pads, ceilMode: ceilMode,
                    countIncludePad: number(0...1) == 0),
                [id])
        default: try append(GlobalMaxPool(), [id])
        }
    }

    private mutating func addReduction(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let axes = shape.indices.shuffled(using: &generator).prefix(number(1...shape.count))
        let reduced = ReductionAxes(axes: axes.sorted(), keepsAxes: number(0...2) > 0)
        try append(
            pick([
                ReduceMean(axes: reduced), ReduceMax(axes: reduced), ReduceMin(axes: reduced), ReduceSum(axes: reduced),
                ReduceL2(axes: reduced), ReduceL1(axes: reduced), ReduceSumSquare(axes: reduced),
            ]), [id])
    }

    private mutating func addResize(_ id: Graph.ValueID, _ shape: [Int]) throws {
        var interpolation = Interpolation()
        interpolation.mode = pick([.nearest, .linear])
        interpolation.coordinates = pick([.halfPixel, .asymmetric, .alignCorners])
        interpolation.nearest = .floor
        let sizes = [number(1...2 * shape[2]), number(1...2 * shape[3])]
        let target = weight(try Tensor(sizes.map(Int64.init), shape: [2]))
        let none = weight(try Tensor([Float](), shape: [0]))
        try append(Resize(interpolation: interpolation, axes: [2, 3]), [id, none, none, target])
    }

    private mutating func addPad(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let mode = pick([Pad.Mode.constant, .constant, .reflect, .edge])
        let widths = (shape + shape).enumerated().map { index, extent in
            index % shape.count < 2 || number(0...1) == 0 ? 0 : mode == .reflect ? min(extent - 1, 2) : number(0...2)
        }
        try append(Pad(mode: mode, pads: widths, value: pick([0, 0, 0.5])), [id])
    }

    private mutating func addRearrangement(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let axis = number(0...shape.count - 1)
        func integers(_ values: [Int]) throws -> Graph.ValueID {
            weight(try Tensor(values.map(Int64.init), shape: [values.count]))
        }
        switch number(0...4) {
        case 0: try append(DepthToSpace(blockSize: 2, isChannelFirst: number(0...1) == 0), [id])
        case 1: try append(SpaceToDepth(blockSize: 2), [id])
        case 2: try append(Tile(), [id, try integers(shape.indices.map { $0 == axis ? 2 : 1 })])
        case 3: try append(Expand(), [id, try integers(shape.map { $0 == 1 ? number(1...3) : $0 })])
        default:
            let positions = (0..<number(1...4)).map { _ in number(0...shape[axis] - 1) }
            try append(Gather(axis: axis), [id, try integers(positions)])
        }
    }

    private mutating func addStatistics(_ id: Graph.ValueID, _ shape: [Int]) throws {
        switch number(0...3) {
        case 0:
            guard shape.count == 4 else { return }
            let parameters = [try tensor([shape[1]], 0.5...1.5), try tensor([shape[1]])]
            // Enough that the difference of nearly equal pixels stays small.
            try append(InstanceNormalization(epsilon: 0.1), [id] + parameters.map { weight($0) })
        case 1:
            let axis = number(0...shape.count - 1)
            let parameters = [try tensor(Array(shape[axis...]), 0.5...1.5), try tensor(Array(shape[axis...]))]
            try append(LayerNormalization(axis: axis, epsilon: 0.1), [id] + parameters.map { weight($0) })
        case 2: try append(LogSoftmax(axis: number(0...shape.count - 1)), [id])
        default: try append(CumSum(), [id, weight(try Tensor([Int64(number(0...shape.count - 1))], shape: []))])
        }
    }

    private mutating func addActivation(_ id: Graph.ValueID, _ shape: [Int]) throws {
        switch number(0...1) {
        case 0:
            let slopes = shape.indices.map { $0 == 1 ? shape[1] : 1 }
            try append(PRelu(), [id, weight(try tensor(slopes, 0...0.5))])
        default:
            try append(
                pick([
                    Abs(), Erf(), Gelu(), Gelu(isApproximate: true), Elu(), Selu(), Softplus(), Softsign(), Mish(),
                    HardSigmoid(), Swish(), Celu(), Sin(), Atan(), ThresholdedRelu(alpha: 0.25),
                ]), [id])
        }
    }

    /// Multiplies a value by a function of itself, as exporters write activations.
    private mutating func addGate(_ id: Graph.ValueID) throws {
        let count = graph.nodes.count
        try append(pick([Sigmoid(), HardSigmoid(), Tanh()]), [id])
        guard graph.nodes.count > count, let gate = graph.nodes[count].outputs[0] else { return }
        try append(Mul(), number(0...1) == 0 ? [id, gate] : [gate, id])
    }

    /// Multiplies a value by itself transposed.
    private mutating func addComputedProduct(_ id: Graph.ValueID, _ shape: [Int]) throws {
        guard shape.count >= 2 else { return }
        let last = shape.count - 1
        let count = graph.nodes.count
        var order = Array(shape.indices)
        order.swapAt(last, last - 1)
        try append(Transpose(permutation: order), [id])
        guard graph.nodes.count > count, let transposed = graph.nodes[count].outputs[0] else { return }
        try append(MatMul(), number(0...1) == 0 ? [id, transposed] : [transposed, id])
    }
}
