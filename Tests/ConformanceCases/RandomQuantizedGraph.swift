import Graphs
import Tensors

/// A small network whose values are quantized to 8 bits between operators, as quantizers write them: every operator
/// reads dequantized values, and its result is quantized. The seed determines it.
package struct RandomQuantizedGraph {
    package private(set) var given: GivenGraph
    /// The largest step between two numbers that a value can have.
    package private(set) var largestStep: Float = 0
    private var generator: SplitMix64
    private var values: [Value] = []
    private let elementType: ElementType

    private struct Value {
        let id: Graph.ValueID
        let shape: [Int]
        let scale: Float
        /// What the network's inputs make of it.
        let content: Tensor
    }

    package init(seed: UInt64) throws {
        generator = SplitMix64(seed: seed)
        elementType = Bool.random(using: &generator) ? .uint8 : .int8
        given = GivenGraph(Graph(name: "random quantized \(seed)"), [])
        let images = number(1...3)
        let (height, width) = number(0...3) == 0 ? pick([(1, 1), (1, 5), (4, 1)]) : (number(2...7), number(2...7))
        for index in 0..<number(1...2) {
            let shape = [images, pick([1, 3, 4, 8, 16, 19]), height, width]
            let id = given.graph.addValue("input\(index)", elementType: .float32, shape: Shape(shape))
            given.graph.inputs.append(id)
            let content = try tensor(shape, -1...1)
            given.inputs.append(content)
            try quantize(id, content)
        }
        let wanted = number(2...8)
        var attempts = 0
        while values.count < wanted + given.inputs.count, attempts < 200 {
            attempts += 1
            try addOperator()
        }
        let read = Set(given.graph.nodes.flatMap { $0.inputs.compactMap { $0 } })
        given.graph.outputs = values.map(\.id).filter { !read.contains($0) }
        try given.graph.validate()
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    private mutating func tensor(_ shape: [Int], _ range: ClosedRange<Float>) throws -> Tensor {
        try Tensor((0..<shape.reduce(1, *)).map { _ in Float.random(in: range, using: &generator) }, shape: shape)
    }

    private mutating func constant(_ tensor: Tensor) -> Graph.ValueID {
        given.graph.addInitializer("constant\(given.graph.values.count)", tensor)
    }

    private mutating func append(_ operation: any Operator, _ inputs: [Graph.ValueID?]) -> Graph.ValueID {
        let name = "node\(given.graph.nodes.count)"
        let id = given.graph.addValue(name)
        given.graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: inputs, outputs: [id]))
        return id
    }

    /// Adds an operator on dequantized values and quantizes its result, unless the shapes do not fit.
    private mutating func addOperator() throws {
        let source = number(0...1) == 0 ? values[values.count - 1] : pick(values)
        var (operation, reads): ((any Operator)?, [(Graph.ValueID, Tensor)]) = (nil, [(source.id, source.content)])
        let isImage = source.shape.count == 4
        switch number(0...11) {
        case 0...3: if isImage { (operation, reads) = try convolution(source) }
        case 4:
            let others = values.filter { $0.shape == source.shape }
            let other = pick(others)
            (operation, reads) = (pick([Add(), Mul()]), reads + [(other.id, other.content)])
        case 5:
            let others = values.filter { $0.shape.count == 4 && isImage }.filter {
                $0.shape[0] == source.shape[0] && $0.shape[2...] == source.shape[2...]
            }
            guard isImage, let other = others.randomElement(using: &generator) else { return }
            (operation, reads) = (Concat(axis: 1), reads + [(other.id, other.content)])
        case 6:
            let pads = pick([[], [1, 1, 1, 1]])
            if isImage { operation = MaxPool(kernel: [2, 2], strides: pick([[], [2, 2]]), pads: pads) }
        case 7:
            let counts = number(0...1) == 0
            if isImage {
                operation = AveragePool(kernel: [2, 2], pads: pick([[], [1, 1, 0, 0]]), countIncludePad: counts)
            }
        case 8: if isImage { operation = GlobalAveragePool() }
        case 9: operation = pick([Relu(), Sigmoid(), HardSwish(), LeakyRelu(alpha: 0.1), Tanh()])
        case 10: operation = Flatten()
        default: if source.shape.count == 2 { (operation, reads) = try product(source) }
        }
        guard let operation,
            let types = try? operation.outputTypes(for: reads.map { TensorType($0.1) }),
            types[0].elementCount > 0, types[0].elementCount <= 20_000
        else { return }
        let result = try operation.evaluate(reads.map(\.1), outputTypes: types)[0]
        let id = append(operation, reads.map(\.0))
        // As quantizers do, a function that cuts off often follows before the result is quantized.
        if operation is Conv, number(0...1) == 0 {
            let relu = Relu()
            try quantize(append(relu, [id]), relu.evaluate([result], outputTypes: types)[0])
        } else {
            try quantize(id, result)
        }
    }

    private mutating func convolution(_ source: Value) throws -> ((any Operator)?, [(Graph.ValueID, Tensor)]) {
        let channels = source.shape[1]
        let group = pick([1, 1, 1, channels])
        let kernel = pick([[1, 1], [1, 1], [3, 3], [1, 3]])
        let features = group * pick(group == 1 ? [1, 4, 8, 17] : [1, 1, 2])
        let pads = kernel == [3, 3] ? pick([[], [1, 1, 1, 1], [1, 0, 0, 2]]) : pick([[], [], [0, 1, 1, 0]])
        let depth = channels / group * kernel[0] * kernel[1]
        let operation = Conv(
            group: group, kernel: kernel, strides: pick([[], [], [2, 2]]),
            dilations: kernel == [3, 3] ? pick([[], [], [2, 2]]) : [], pads: pads)
        let weights = try quantizedWeights([features, channels / group] + kernel, axis: 0, depth: depth)
        var reads = [(source.id, source.content), (weights.id, weights.content)]
        if number(0...2) > 0 { reads.append(try bias(features, source.scale, weights.scales)) }
        return (operation, reads)
    }

    private mutating func product(_ source: Value) throws -> ((any Operator)?, [(Graph.ValueID, Tensor)]) {
        let (depth, columns) = (source.shape[1], pick([1, 5, 32]))
        let weights = try quantizedWeights([depth, columns], axis: 1, depth: depth)
        var reads = [(source.id, source.content), (weights.id, weights.content)]
        guard number(0...1) == 0 else { return (MatMul(), reads) }
        reads.append(try bias(columns, source.scale, weights.scales))
        return (Gemm(), reads)
    }

    /// Weights as dequantized integers, with one scale or one for each slice along `axis`.
    private mutating func quantizedWeights(
        _ shape: [Int], axis: Int, depth: Int
    ) throws -> (id: Graph.ValueID, content: Tensor, scales: [Float]) {
        let count = shape[axis]
        let isPerChannel = number(0...1) == 0
        let scales = (0..<(isPerChannel ? count : 1)).map { _ in
            Float.random(in: 0.5...1.5, using: &generator) / 127 / Float(depth).squareRoot()
        }
        let integers = try Tensor(
            (0..<shape.reduce(1, *)).map { _ in Int64.random(in: -127...127, using: &generator) }, as: .int8,
            shape: shape)
        let scaleShape = isPerChannel ? [count] : []
        let scale = try Tensor(scales, shape: scaleShape)
        let zero = try Tensor([Int64](repeating: 0, count: scales.count), as: .int8, shape: scaleShape)
        let operation = DequantizeLinear(grid: QuantizationGrid(axis: axis))
        let types = try operation.outputTypes(for: [integers, scale, zero].map { TensorType($0) })
        let content = try operation.evaluate([integers, scale, zero], outputTypes: types)[0]
        let id = append(operation, [constant(integers), constant(scale), constant(zero)])
        return (id, content, scales)
    }

    /// A bias of 32-bit integers in the scale of the sums or in another, or of floats.
    private mutating func bias(
        _ count: Int, _ inputScale: Float, _ weightScales: [Float]
    ) throws -> (Graph.ValueID, Tensor) {
        let kind = number(0...7)
        if kind == 0 {
            let content = try tensor([count], -1...1)
            return (constant(content), content)
        }
        let scales = weightScales.map {
            inputScale * $0 * (kind == 1 ? Float.random(in: 0.1...9, using: &generator) : 1)
        }
        let values = (0..<count).map { channel in
            Int64((Float.random(in: -1...1, using: &generator) / scales[scales.count == 1 ? 0 : channel]).rounded())
        }
        let integers = try Tensor(values, as: .int32, shape: [count])
        let scaleShape = scales.count == 1 ? [] : [count]
        let scale = try Tensor(scales, shape: scaleShape)
        let operation = DequantizeLinear(grid: QuantizationGrid(axis: 0))
        let types = try operation.outputTypes(for: [integers, scale].map { TensorType($0) })
        let content = try operation.evaluate([integers, scale], outputTypes: types)[0]
        return (append(operation, [constant(integers), constant(scale)]), content)
    }

    /// Quantizes and dequantizes a value over its range, or a part of it.
    private mutating func quantize(_ id: Graph.ValueID, _ content: Tensor) throws {
        let numbers = content.elements(as: Float.self)
        let (low, high) = (min(0, numbers.min() ?? 0), max(0, numbers.max() ?? 0))
        let part: Float = number(0...3) == 0 ? 0.7 : 1
        let scale = max((high - low) * part / 255, 1e-6)
        let least: Int64 = elementType == .uint8 ? 0 : -128
        let zeroPoint = min(max(least + Int64((-low * part / scale).rounded()), least), least + 255)
        let scaleID = constant(try Tensor([scale], shape: []))
        let zeroID = constant(try Tensor([zeroPoint], as: elementType, shape: []))
        let (quantizing, dequantizing) = (QuantizeLinear(), DequantizeLinear())
        let parameters = [scaleID, zeroID].map { given.graph.initializers[$0] }
        let integerTypes = try quantizing.outputTypes(for: ([content] + parameters).map { $0.map { TensorType($0) } })
        let integers = try quantizing.evaluate([content] + parameters, outputTypes: integerTypes)[0]
        let types = try dequantizing.outputTypes(for: ([integers] + parameters).map { $0.map { TensorType($0) } })
        let rounded = try dequantizing.evaluate([integers] + parameters, outputTypes: types)[0]
        let quantized = append(quantizing, [id, scaleID, zeroID])
        let result = append(dequantizing, [quantized, scaleID, zeroID])
        largestStep = max(largestStep, scale)
        values.append(Value(id: result, shape: content.shape, scale: scale, content: rounded))
    }
}
