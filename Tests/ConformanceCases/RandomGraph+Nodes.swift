import Graphs
import Tensors

extension RandomGraph {
    /// Adds a random node that reads existing values, or none when the drawn operator does not fit.
    mutating func addNode() throws {
        let (id, shape) = source()
        switch number(0...19) {
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
        default: if shape.count == 2 { try addProduct(id, shape) }
        }
    }

    private mutating func addConvolution(_ id: Graph.ValueID, _ shape: [Int]) throws {
        let channels = shape[1]
        let isDepthwise = number(0...3) == 0 && channels > 1
        let kernel = pick([[1, 1], [1, 1], [3, 3], [1, 3], [2, 2]])
        let features = isDepthwise ? channels : pick([1, 3, 8, 16, 19])
        let pads = kernel == [3, 3] && number(0...2) > 0 ? [1, 1, 1, 1] : []
        let operation = Conv(
            group: isDepthwise ? channels : 1, kernel: kernel, strides: pick([[], [], [], [2, 2]]), pads: pads,
            activation: pick([nil, .relu, .clip(low: -0.5, high: 0.5)]))
        let depth = (isDepthwise ? 1 : channels) * kernel[0] * kernel[1]
        let scale = 1 / Float(depth).squareRoot()
        var reads = [id, weight(try tensor([features, isDepthwise ? 1 : channels] + kernel, -scale...scale))]
        if number(0...1) == 0 { reads.append(weight(try tensor([features]))) }
        try append(operation, reads)
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
}
