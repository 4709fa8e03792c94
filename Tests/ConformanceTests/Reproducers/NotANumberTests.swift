import ConformanceCases
import Graphs
import Planning
import Tensors
import Testing

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
}
