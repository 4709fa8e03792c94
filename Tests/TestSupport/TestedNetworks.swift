import Apus
import Foundation
import Graphs
import Tensors

/// Models that the tests of this module run.
package enum TestedNetworks {
    package static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

    package static func photo(_ name: String) -> String { fixtures.appending(path: "photos/\(name)").path }

    /// The committed SqueezeNet, with its preprocessing and labels.
    package static func squeezeNet() throws -> Model {
        try Model(contentsOf: fixtures.appending(path: "models/squeezenet1_1.onnx").path)
    }

    /// A network of three layers on pictures of 16 × 16.
    package static func small() throws -> Model {
        let graph = try Graph.build("small") { net in
            let image = net.input("image", .float32, [.batch, 3, 16, 16])
            let features = image.convolution(8, kernel: 3).relu().globalAveragePool().flatten()
            net.output("scores", features.linear(5))
        }
        return try Model(graph.seeded(7))
    }

    /// A network of operators in sequence, each of which calls a closure and returns its input.
    ///
    /// - Parameter batch: The first extent that the input declares.
    package static func calling(_ closures: [@Sendable () -> Void], batch: Tensors.Dimension = .batch) throws -> Model {
        var graph = Graph(name: "calling")
        var value = graph.addValue("x", elementType: .float32, shape: [batch, 2])
        graph.inputs = [value]
        for (index, closure) in closures.enumerated() {
            let next = graph.addValue("y\(index)")
            graph.nodes.append(
                Graph.Node(name: "call\(index)", operation: Calling(closure), inputs: [value], outputs: [next]))
            value = next
        }
        graph.outputs = [value]
        return try Model(graph)
    }

    /// An endless loop that calls a closure in every iteration.
    package static func looping(_ closure: @escaping @Sendable () -> Void) throws -> Model {
        var body = Graph(name: "body")
        let iteration = body.addValue("i", elementType: .int64, shape: [])
        let condition = body.addValue("condition", elementType: .bool, shape: [])
        let carried = body.addValue("v", elementType: .float32, shape: [2])
        let next = body.addValue("next")
        body.inputs = [iteration, condition, carried]
        body.outputs = [condition, next]
        body.nodes.append(Graph.Node(name: "call", operation: Calling(closure), inputs: [carried], outputs: [next]))
        var attributes = AttributeReader(["body": .graph(Subgraph(body, formalInputCount: 3))])
        var graph = Graph(name: "looping")
        let x = graph.addValue("x", elementType: .float32, shape: [2])
        let isGoingOn = graph.addInitializer("true", try Tensor([true], shape: []))
        let y = graph.addValue("y")
        graph.nodes.append(
            Graph.Node(name: "loop", operation: try Loop(&attributes), inputs: [nil, isGoingOn, x], outputs: [y]))
        graph.inputs = [x]
        graph.outputs = [y]
        return try Model(graph)
    }
}

/// Calls a closure when it is evaluated.
private struct Calling: Operator {
    package static let name = "Calling"
    package static let inputCount = 1...1
    package let closure: @Sendable () -> Void

    package init(_ closure: @escaping @Sendable () -> Void) { self.closure = closure }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        throw .unsupported("stands in tests, not in model files")
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        inputs.compactMap { $0 }
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) -> [Tensor] {
        closure()
        return inputs.compactMap { $0 }
    }
}

extension Tensor {
    /// A tensor of random numbers that a seed determines.
    package static func random(_ shape: [Int], seed: UInt64) throws -> Tensor {
        var generator = SplitMix64(seed: seed)
        return try Tensor((0..<shape.reduce(1, *)).map { _ in Float(generator.nextUnit()) }, shape: shape)
    }

    /// The bits of the elements, for exact comparison.
    package var bits: [UInt32] { elements(as: Float.self).map(\.bitPattern) }
}
