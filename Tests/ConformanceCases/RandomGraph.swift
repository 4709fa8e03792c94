import Graphs
import Tensors

/// A small network with random operators, connections, shapes, weights and outputs.
package struct RandomGraph {
    package private(set) var graph: Graph
    package private(set) var inputs: [Tensor] = []
    var generator: any RandomNumberGenerator
    /// The values that a node may read, with their shapes; all float32.
    private var values: [(id: Graph.ValueID, shape: [Int])] = []

    package init(seed: UInt64) throws {
        try self.init(SplitMix64(seed: seed), name: "random \(seed)")
    }

    /// The network that `generator` draws.
    package init(_ generator: some RandomNumberGenerator, name: String = "random") throws {
        self.generator = generator
        graph = Graph(name: name)
        let images = number(1...3)
        // Every fourth network begins with rows, columns or pixels.
        let (height, width) =
            number(0...3) == 0 ? pick([(1, 1), (1, 5), (4, 1), (2, 1)]) : (number(3...7), number(3...9))
        for _ in 0..<number(1...3) { try addInput([images, pick([1, 2, 3, 8, 16, 17]), height, width]) }
        if number(0...3) == 0 { try addConstant([images, number(1...4), height, width]) }
        let wanted = number(2...14)
        var attempts = 0
        while graph.nodes.count < wanted, attempts < 400 {
            attempts += 1
            try addNode()
        }
        chooseOutputs()
        try graph.validate()
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    mutating func tensor(_ shape: [Int], _ range: ClosedRange<Float> = -1...1) throws -> Tensor {
        try Tensor((0..<shape.reduce(1, *)).map { _ in Float.random(in: range, using: &generator) }, shape: shape)
    }

    private mutating func addInput(_ shape: [Int]) throws {
        let id = graph.addValue("input\(graph.inputs.count)", elementType: .float32, shape: Shape(shape))
        graph.inputs.append(id)
        inputs.append(try tensor(shape))
        values.append((id, shape))
    }

    private mutating func addConstant(_ shape: [Int]) throws {
        values.append((weight(try tensor(shape)), shape))
    }

    mutating func weight(_ tensor: Tensor) -> Graph.ValueID {
        graph.addInitializer("weight\(graph.values.count)", tensor)
    }

    /// A random value to read, more often a late one, so that chains grow.
    mutating func source() -> (id: Graph.ValueID, shape: [Int]) {
        number(0...1) == 0 ? values[values.count - 1] : pick(values)
    }

    /// Values that can be joined with `first` along an axis, including `first` itself.
    mutating func sources(joining first: [Int], along axis: Int) -> [(id: Graph.ValueID, shape: [Int])] {
        values.filter { value in
            value.shape.count == first.count
                && value.shape.indices.allSatisfy { $0 == axis || value.shape[$0] == first[$0] }
        }
    }

    /// Adds a node when its operator takes the inputs and the result is not too large.
    mutating func append(_ operation: any Operator, _ reads: [Graph.ValueID], outputs count: Int = 1) throws {
        let types = try graph.inferTypes(inputShapes: inputs.map(\.shape))
        guard let results = try? operation.outputTypes(for: reads.map { types[$0.index] }), results.count >= count,
            results.prefix(count).allSatisfy({ $0.rank > 0 && $0.elementCount <= 20_000 && $0.elementCount > 0 })
        else { return }
        let name = "node\(graph.nodes.count)"
        var outputs: [Graph.ValueID] = []
        for (index, type) in results.prefix(count).enumerated() {
            let id = graph.addValue(index == 0 ? name : "\(name).\(index)")
            outputs.append(id)
            values.append((id, type.shape))
        }
        graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: reads, outputs: outputs))
    }

    /// Chooses up to four outputs: often values that nothing reads, sometimes inner values, inputs or weights.
    private mutating func chooseOutputs() {
        let read = Set(graph.nodes.flatMap { $0.inputs.compactMap { $0 } })
        var chosen = values.map(\.id).filter { !read.contains($0) && !graph.inputs.contains($0) }
        chosen.shuffle(using: &generator)
        chosen = Array(chosen.prefix(number(1...3)))
        for _ in 0..<number(0...2) { chosen.append(pick(values).id) }
        if chosen.isEmpty { chosen.append(values[values.count - 1].id) }
        for id in chosen where !graph.outputs.contains(id) { graph.outputs.append(id) }
    }

    /// The nodes in words, for a failure's message.
    package var listing: String { GivenGraph(graph, inputs).listing }
}
