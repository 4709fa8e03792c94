import Graphs
import Tensors

/// A sequence of convolutions and pools with random kernels, strides, paddings, dilations and addends; the seed
/// determines them.
struct RandomChain {
    let seed: UInt64
    var graph: Graph
    private var generator: SplitMix64
    private var shape: [Int]
    private var value: Graph.ValueID
    private let imageShape: [Int]
    /// Whether the first layer is a wide kernel with stride 2 over few channels, as in many networks.
    private let hasStem: Bool

    init(seed: UInt64) throws {
        self.seed = seed
        generator = SplitMix64(seed: seed)
        graph = Graph(name: "chain \(seed)")
        hasStem = Bool.random(using: &generator)
        imageShape = [
            [1, 3, 4, 16, 19][Int.random(in: 0...(hasStem ? 2 : 4), using: &generator)],
            Int.random(in: 30...80, using: &generator), Int.random(in: hasStem ? 20...40 : 4...12, using: &generator),
        ]
        shape = [1] + imageShape
        value = graph.addValue("x", elementType: .float32, shape: Shape([.batch] + imageShape.map(Dimension.fixed)))
        graph.inputs = [value]
        let count = number(2...6)
        var attempts = 0
        while graph.nodes.count < count, attempts < 100 {
            attempts += 1
            try addLayer()
        }
        graph.outputs = [value]
        try graph.validate()
    }

    func inputShape(_ images: Int) -> [Int] { [images] + imageShape }

    /// Images of random elements.
    func input(_ images: Int) throws -> Tensor {
        var generator = SplitMix64(seed: seed)
        let shape = inputShape(images)
        return try Tensor(
            (0..<shape.reduce(1, *)).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
    }

    /// The layers in words, for a failure's message.
    var listing: String {
        (["\(imageShape)"] + graph.nodes.map { "\($0.operatorName) \($0.operation.attributes)" })
            .joined(separator: "\n")
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    private mutating func weight(_ shape: [Int]) throws -> Graph.ValueID {
        let scale = 1 / Float(shape.dropFirst().reduce(1, *)).squareRoot()
        let elements = (0..<shape.reduce(1, *)).map { _ in Float.random(in: -scale...scale, using: &generator) }
        return graph.addInitializer("weight\(graph.values.count)", try Tensor(elements, shape: shape))
    }

    private mutating func addLayer() throws {
        let isStem = hasStem && graph.nodes.isEmpty
        let wide = [5, 7][number(0...1)]
        let kernel =
            isStem
            ? [wide + number(0...1), wide + number(0...1)]
            : number(0...2) == 0 ? [1, 1] : [number(1...4), number(1...3)]
        let strides = isStem ? [2, 2] : [[1, 1, 1, 1, 2, 3][number(0...5)], [1, 1, 2][number(0...2)]]
        let dilations = !isStem && number(0...3) == 0 ? [2, number(1...2)] : []
        let pads = [number(0...kernel[0] - 1), number(0...kernel[1] - 1), number(0...kernel[0] - 1), number(0...1)]
        let operation: any Operator
        var reads: [Graph.ValueID?] = [value]
        switch isStem ? 5 : number(0...5) {
        case 0: operation = MaxPool(kernel: kernel, strides: strides, dilations: dilations, pads: pads)
        case 1 where shape[1] > 1:
            operation = Conv(
                group: shape[1], strides: strides, dilations: dilations, pads: pads, activation: .clip(low: 0, high: 6))
            reads.append(try weight([shape[1], 1] + kernel))
        default:
            operation = Conv(strides: strides, dilations: dilations, pads: pads, activation: .relu)
            let features = isStem ? 40 : [2, 8, 19, 40][number(0...3)]
            reads += [try weight([features, shape[1]] + kernel), try weight([features])]
        }
        let types = try graph.inferTypes(inputShapes: [inputShape(1)])
        let inputs = reads.map { $0.flatMap { types[$0.index] } }
        guard let result = try? operation.outputTypes(for: inputs).first, result.elementCount >= 64 else { return }
        // In half of the cases, the input is added to the output.
        if number(0...1) == 0, result.shape == shape, operation is Conv {
            if reads.count == 2 { reads.append(nil) }
            reads.append(value)
        }
        let name = "layer\(graph.nodes.count)"
        let output = graph.addValue(name)
        graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: reads, outputs: [output]))
        (value, shape) = (output, result.shape)
    }
}
