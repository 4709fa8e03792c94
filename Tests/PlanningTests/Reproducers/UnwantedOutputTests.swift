import Graphs
import Planning
import Tensors
import Testing

@Suite("Outputs that are not wanted")
struct UnwantedOutputTests {
    @Test("An output is the one named, also when the one before it is not wanted")
    func skipsFirst() throws {
        var graph = Graph(name: "indices")
        let input = graph.addValue("x", elementType: .float32, shape: [1, 1, 2, 4])
        let indices = graph.addValue("indices")
        graph.inputs = [input]
        graph.nodes = [
            Graph.Node(
                name: "pool", operation: MaxPool(kernel: [2, 2], strides: [2, 2]),
                inputs: [input], outputs: [nil, indices])
        ]
        graph.outputs = [indices]
        try graph.validate()
        let plan = try Planner.reference.plan(graph)
        let image = try Tensor([Float](arrayLiteral: 1, 2, 3, 4, 5, 4, 9, 8), shape: [1, 1, 2, 4])
        let results = try Execution(workers: SerialWorkers()).run(plan, inputs: [image])
        #expect(results.map(\.elementType) == [.int64])
        #expect(results.map { $0.elements(as: Int64.self) } == [[4, 6]])
    }
}
