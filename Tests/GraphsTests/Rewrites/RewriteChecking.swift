import Graphs
import Tensors
import Testing

/// A constant of random numbers.
func array(_ net: GraphBuilder, _ name: String, _ shape: [Int]) -> GraphBuilder.Value {
    net.constant(name, (try? Tensor.random(shape, seed: name)) ?? net.never)
}

/// [N, 4, 6, 6] → [N, 36, 4]
func tokens(_ net: GraphBuilder, _ image: GraphBuilder.Value) -> GraphBuilder.Value {
    let shape = (try? Tensor([Int64(0), 4, 36], shape: [3])) ?? net.never
    return net.apply(
        Transpose(permutation: [0, 2, 1]), [net.apply(Reshape(), [image, net.constant("token shape", shape)])])
}

extension Graph {
    /// Evaluates the network node by node, plainly.
    func evaluated(_ given: [Tensor]) throws -> [String: [Double]] {
        let types = try inferTypes(inputShapes: given.map(\.shape))
        var contents = [Tensor?](repeating: nil, count: values.count)
        for (id, tensor) in initializers { contents[id.index] = tensor }
        for (id, tensor) in zip(inputs, given) { contents[id.index] = tensor }
        for node in nodes {
            let outputTypes = try inferTypes(of: node, types)
            let operands = node.inputs.map { $0.flatMap { contents[$0.index] } }
            let results = try node.operation.evaluate(operands, outputTypes: outputTypes)
            for (output, result) in zip(node.outputs, results) { if let output { contents[output.index] = result } }
        }
        var results: [String: [Double]] = [:]
        for id in outputs { results[self[id].name] = try #require(contents[id.index]).elements(as: Double.self) }
        return results
    }

    /// Random numbers for every input, the batch size being `batch`.
    func randomInputs(batch: Int) throws -> [Tensor] {
        try inputs.map { id in
            let shape = try #require(self[id].shape?.binding(["N": batch]))
            return try Tensor.random(shape, seed: self[id].name)
        }
    }

    /// The network with random weights; variances are positive.
    func randomized() throws -> Graph {
        var arrays: [String: Tensor] = [:]
        for id in missingWeights {
            let name = self[id].name
            let tensor = try Tensor.random(try #require(self[id].shape?.fixed), seed: name)
            arrays[name] =
                name.hasSuffix("variance")
                ? try Tensor(tensor.elements(as: Double.self).map { 0.5 + $0 * $0 }, as: .float32, shape: tensor.shape)
                : tensor
        }
        return try loadingWeights(arrays)
    }

    var operatorNames: [String] { nodes.map(\.operatorName) }
}

extension Tensor {
    static func random(_ shape: [Int], seed: String = "x") throws -> Tensor {
        var numbers = NormalNumbers(seed: 11, stream: seed)
        return try Tensor((0..<shape.reduce(1, *)).map { _ in Float(numbers.next()) }, shape: shape)
    }
}

/// Builds a network with random weights, rewrites it, and checks that its outputs stay.
///
/// The rewrite runs on the network with an open batch size and on the network for a batch of two.
///
/// - Returns: The rewritten network with an open batch size, and the changes.
@discardableResult
func rewritten(
    with rewrites: [any Rewrite], sourceLocation: SourceLocation = #_sourceLocation,
    _ describe: (GraphBuilder, GraphBuilder.Value) -> Void
) throws -> (graph: Graph, changes: [String]) {
    let graph = try Graph.build("case") { net in
        describe(net, net.input("image", .float32, [.batch, 4, 6, 6]))
    }.randomized()
    let inputs = try graph.randomInputs(batch: 2)
    let expected = try graph.evaluated(inputs)
    let result = try Rewrites.declutter(graph, using: rewrites)
    let special = try Rewrites.declutter(graph.specialized(inputShapes: inputs.map(\.shape)), using: rewrites)
    for candidate in [result.graph, special.graph] {
        #expect(candidate.outputs.map { candidate[$0].name } == graph.outputs.map { graph[$0].name })
        let found = try candidate.evaluated(inputs)
        for (name, values) in expected {
            let others = try #require(found[name])
            #expect(others.count == values.count, sourceLocation: sourceLocation)
            let worst = zip(values, others).map { abs($0 - $1) / max(1, abs($0)) }.max() ?? 0
            #expect(worst < 1e-5, "\(name) moves by \(worst)", sourceLocation: sourceLocation)
        }
    }
    return (result.graph, result.reports.flatMap { $0.changes.map(\.description) })
}

extension GraphBuilder {
    /// A layer that the builder has no method for.
    func apply(_ operation: any Operator, _ values: [Value], _ constants: [Tensor] = []) -> Value {
        append(
            operation, kind: type(of: operation).name.lowercased(), values,
            constants: constants.enumerated().map { .init(suffix: "constant\($0)", content: $1) })
    }
}
