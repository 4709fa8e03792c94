import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Values that are not a number", .ownThreads)
struct NotANumberTests {
    @Test("NaN wins over every number, wherever it stands")
    func wins() throws {
        let values: [Float] = [.nan, 1, 2, .nan, -3, .nan, .nan, 4]
        let first = try Tensor(values, shape: [1, 1, 2, 4])
        let second = try Tensor([Float](values.reversed()), shape: [1, 1, 2, 4])
        let cases: [(any Operator, [Tensor])] = [
            (Max(), [first, second]), (Min(), [first, second]), (MaxPool(kernel: [1, 2]), [first]),
            (MaxPool(kernel: [2, 2], strides: [1, 2]), [second]),
        ]
        for (operation, inputs) in cases {
            var graph = Graph(name: "nan")
            graph.inputs = inputs.indices.map {
                graph.addValue("x\($0)", elementType: .float32, shape: Shape(inputs[$0].shape))
            }
            let output = graph.addValue("y")
            graph.nodes = [Graph.Node(name: "node", operation: operation, inputs: graph.inputs, outputs: [output])]
            graph.outputs = [output]
            try graph.validate()
            let expected = try BackendChain.all[0].plan(graph, for: inputs).outputs(inputs)[0]
            let plan = try BackendChain.cpu.plan(graph, for: inputs)
            #expect(plan.layers.allSatisfy { $0.backend == "cpu" })
            let difference = TensorComparison(try plan.outputs(inputs)[0], expected).difference
            #expect(difference == nil, "\(type(of: operation).name): \(difference ?? "")")
        }
    }

    @Test(
        "Attention with a mask of −∞ for all keys of a query is NaN there", arguments: [[5, 1], [1, 5, 1], [1, 1]])
    func maskedQueries(_ shape: [Int]) throws {
        var generator = SplitMix64(seed: 7)
        let inputs = try (0..<3).map { _ in
            try Tensor((0..<40).map { _ in Float.random(in: -1...1, using: &generator) }, shape: [1, 2, 5, 4])
        }
        let count = shape.reduce(1, *)
        let mask = try Tensor((0..<count).map { $0 % 2 == 0 ? -Float.infinity : 0 }, shape: shape)
        let graph = try Graph.build("masked") { net in
            let (q, k, v) = (
                net.input("q", .float32, [1, 2, 5, 4]), net.input("k", .float32, [1, 2, 5, 4]),
                net.input("v", .float32, [1, 2, 5, 4])
            )
            let scores = q.matrixProduct(with: k.transpose([0, 1, 3, 2])) + net.input("mask", .float32, Shape(shape))
            net.output("y", scores.softmax(axis: -1).matrixProduct(with: v))
        }
        let given = GivenGraph(graph, inputs + [mask])
        #expect(NetworkCheck(backend: CPUBackend(), precision: 1e-5).failure(given) == nil)
        let expected = try ReferenceEvaluation.run(graph, given.inputs)[0].elements(as: Float.self)
        #expect(expected.contains { $0.isNaN } && expected.contains { $0.isFinite } == (count > 1))
    }
}
