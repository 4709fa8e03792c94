import Foundation
import Graphs
import Tensors

/// A random graph around the pattern of a rewrite, and inputs for it.
///
/// A generator adds nodes one by one. Numbers are drawn from a palette: small dyadic ones, with which float32 is exact;
/// ordinary ones; or NaN, infinities, zeros of both signs and the largest and smallest numbers among these.
struct RandomPattern {
    typealias Value = Graph.ValueID

    enum Palette: CaseIterable { case dyadic, ordinary, extreme }

    /// How far a result may be off.
    enum Tolerance {
        /// Every number is the same.
        case same
        /// By the rounding of arithmetic in another order, relative to the largest number in between. Numbers that are
        /// not finite may become others.
        case rounded
        /// By the rounding of elementwise functions, relative to the input's element. Numbers that are not finite may
        /// become others.
        case elementwise
        /// By steps of a quantization.
        case steps(Double)
    }

    /// A graph that the drawn operators do not make.
    struct Misfit: Error {}

    private(set) var graph: Graph
    private(set) var inputs: [Tensor] = []
    var tolerance = Tolerance.same
    let palette: Palette
    /// Whether the first axis of all inputs is an open batch.
    let hasOpenBatch: Bool
    private var generator: SplitMix64
    private var types: [Value: TensorType] = [:]
    private var computed: [Value] = []

    init(seed: UInt64, name: String) {
        generator = SplitMix64(seed: seed)
        graph = Graph(name: "\(name) \(seed)")
        palette = [Palette.dyadic, .dyadic, .ordinary, .extreme][Int.random(in: 0...3, using: &generator)]
        hasOpenBatch = Int.random(in: 0...2, using: &generator) == 0
    }

    // MARK: Choices

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }
    /// Whether one of `count` equal chances is drawn.
    mutating func chance(_ count: Int) -> Bool { number(1...count) == 1 }
    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] { elements.shuffled(using: &generator) }
    mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &generator) }

    mutating func shape(rank: Int, _ extents: ClosedRange<Int> = 1...4) -> [Int] {
        (0..<rank).map { _ in number(extents) }
    }

    mutating func floatType() -> ElementType { pick([.float32, .float32, .float32, .float16, .bfloat16, .float64]) }

    mutating func anyType() -> ElementType {
        pick([.float32, .float32, .float16, .bfloat16, .float64, .int8, .uint8, .int32, .int64])
    }

    /// Numbers of the palette.
    mutating func numbers(_ count: Int, _ type: ElementType) -> [Double] { (0..<count).map { _ in number(type) } }

    private mutating func number(_ type: ElementType) -> Double {
        guard type.isFloatingPoint else {
            if palette == .extreme, chance(4) { return pick([-128, 127, 255, 0, -0x1p31, 0x1p31 - 1]) }
            return Double(number(-4...4))
        }
        switch palette {
        case .dyadic: return Double(number(-8...8)) / 2
        case .ordinary: return uniform(-4...4)
        case .extreme:
            guard chance(3) else { return uniform(-14...14) }
            let largest =
                type == .float16 ? 65504 : type == .bfloat16 ? 0x1.fep127 : Double(Float.greatestFiniteMagnitude)
            let smallest = type == .float16 ? 0x1p-24 : Double(Float.leastNonzeroMagnitude)
            return pick([
                .nan, .infinity, -.infinity, 0, -0.0, largest, -largest, smallest, -smallest, 1e-30, -1e-30, 1e20,
                -1e20,
                100, -100, 1, -1,
            ])
        }
    }

    // MARK: Values

    mutating func input(_ shape: [Int], _ type: ElementType = .float32) throws -> Value {
        try input(try Tensor(numbers(shape.reduce(1, *), type), as: type, shape: shape))
    }

    mutating func input(_ tensor: Tensor) throws -> Value {
        var dimensions = Shape(tensor.shape).dimensions
        if hasOpenBatch, let first = tensor.shape.first, inputs.allSatisfy({ $0.shape.first == first }) {
            dimensions[0] = .symbol("N")
        }
        let id = graph.addValue(
            "input\(graph.inputs.count)", elementType: tensor.elementType, shape: Shape(dimensions))
        graph.inputs.append(id)
        inputs.append(tensor)
        types[id] = TensorType(tensor.elementType, tensor.shape)
        return id
    }

    mutating func constant(_ shape: [Int], _ type: ElementType = .float32) throws -> Value {
        constant(try Tensor(numbers(shape.reduce(1, *), type), as: type, shape: shape))
    }

    mutating func constant(_ values: [Double], _ shape: [Int], _ type: ElementType = .float32) throws -> Value {
        constant(try Tensor(values, as: type, shape: shape))
    }

    mutating func constant(_ tensor: Tensor) -> Value {
        let id = graph.addInitializer("constant\(graph.values.count)", tensor)
        types[id] = TensorType(tensor)
        return id
    }

    mutating func integers(_ values: [Int]) throws -> Value {
        constant(try Tensor(values.map(Int64.init), shape: [values.count]))
    }

    /// A constant, or now and then an input, of the same type.
    mutating func parameter(_ shape: [Int], _ type: ElementType = .float32) throws -> Value {
        chance(12) ? try input(shape, type) : try constant(shape, type)
    }

    func type(_ id: Value) -> TensorType { types[id] ?? TensorType(.float32, []) }
    func shape(_ id: Value) -> [Int] { type(id).shape }

    /// Adds a node; throws ``Misfit`` where its operator refuses the operands.
    mutating func apply(_ operation: any Operator, _ operands: [Value?]) throws -> Value {
        try results(operation, operands, count: 1)[0]
    }

    mutating func results(_ operation: any Operator, _ operands: [Value?], count: Int) throws -> [Value] {
        guard let inferred = try? operation.outputTypes(for: operands.map { $0.map(type) }), inferred.count >= count,
            inferred.allSatisfy({ $0.elementCount <= 1 << 14 })
        else { throw Misfit() }
        let name = "node\(graph.nodes.count)"
        var outputs: [Value] = []
        for (index, type) in inferred.prefix(count).enumerated() {
            let id = graph.addValue(index == 0 ? name : "\(name).\(index)")
            types[id] = type
            outputs.append(id)
        }
        computed += outputs
        graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: operands, outputs: outputs))
        return outputs
    }

    /// The result of two operands in either order.
    mutating func commuted(_ operation: any Operator, _ a: Value, _ b: Value) throws -> Value {
        try apply(operation, chance(2) ? [a, b] : [b, a])
    }

    /// Makes `outputs` the results of the graph, sometimes behind another node, and now and then a value in between.
    mutating func finish(_ outputs: Value...) throws {
        graph.outputs = []
        for id in outputs {
            let isReadOnce = chance(3) && type(id).elementType.isFloatingPoint
            graph.outputs.append(isReadOnce ? try apply(Neg(), [id]) : id)
        }
        if chance(6) {
            let other = pick(computed)
            if !graph.outputs.contains(other) { graph.outputs.append(other) }
        }
    }

    /// The graph's nodes in words.
    var listing: String {
        let nodes = graph.nodes.map { node in
            let reads = node.inputs.map { input in
                input.map { id in
                    guard let tensor = graph.initializers[id] else { return graph[id].name }
                    let values = tensor.elements(as: Double.self)
                    return "\(tensor.elementType)\(tensor.shape)=\(values.prefix(12))"
                } ?? "–"
            }.joined(separator: ", ")
            let activation = (node.operation as? any ActivationFusing)?.activation.map { " \($0)" } ?? ""
            return "\(node.outputs.compactMap { $0.map { graph[$0].name } }.joined(separator: ", ")) = "
                + "\(node.operatorName)(\(reads)) \(node.operation.attributes)\(activation)"
        }
        let given = zip(graph.inputs, inputs).map {
            "\(graph[$0].name): \($1.elementType)\($1.shape) = \($1.elements(as: Double.self).prefix(12))"
        }
        return (given + nodes + ["outputs " + graph.outputs.map { graph[$0].name }.joined(separator: ", ")])
            .joined(separator: "\n")
    }
}
