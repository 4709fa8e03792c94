import ConformanceCases
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Constants that kernels read in a layout of their own", .ownThreads)
struct ConstantPictureTests {
    /// A constant whose elements are all different, in any arrangement of its memory.
    private func picture(_ shape: [Int], isTransposed: Bool) throws -> Tensor {
        let values = (0..<shape.reduce(1, *)).map { Float($0 % 23) - 11 }
        if !isTransposed { return try Tensor(values, shape: shape) }
        let order = Array(shape.indices.reversed())
        return try Tensor(values, shape: shape.reversed()).transposed(order)
    }

    /// A network whose only node reads constants. Its result is an output, so that the node is not folded.
    private func graph(_ operation: any Operator, _ constants: [Tensor]) throws -> Graph {
        var graph = Graph(name: "constant")
        let unused = graph.addValue("x", elementType: .float32, shape: Shape([1]))
        graph.inputs = [unused]
        let inputs = constants.enumerated().map { graph.addInitializer("c\($0)", $1) }
        let output = graph.addValue("y")
        graph.nodes = [Graph.Node(name: "node", operation: operation, inputs: inputs, outputs: [output])]
        graph.outputs = [output]
        try graph.validate()
        return graph
    }

    @Test("Every kernel reads a constant as it lies", arguments: [false, true])
    func readsConstants(isTransposed: Bool) throws {
        let image = try picture([1, 3, 4, 5], isTransposed: isTransposed)
        let many = try picture([2, 6, 4, 5], isTransposed: isTransposed)
        let matrix = try picture([3, 6], isTransposed: isTransposed)
        let cases: [(any Operator, [Tensor])] = [
            (MaxPool(kernel: [2, 2]), [image]),
            (GlobalAveragePool(), [image]),
            (LRN(size: 3), [image]),
            (Conv(), [image, try picture([2, 3, 3, 3], isTransposed: isTransposed)]),
            (Conv(), [many, try picture([2, 6, 1, 1], isTransposed: isTransposed)]),
            (Conv(group: 6), [many, try picture([6, 1, 3, 3], isTransposed: isTransposed)]),
            (MatMul(), [matrix, try picture([6, 4], isTransposed: isTransposed)]),
            (
                MatMul(),
                [try picture([2, 3, 6], isTransposed: isTransposed), try picture([6, 4], isTransposed: true)]
            ),
            (Add(), [image, try picture([3, 1, 5], isTransposed: isTransposed)]),
            (Softmax(axis: 1), [image]),
            (Concat(axis: 1), [image, image]),
        ]
        let unused = try Tensor([Float(0)], shape: [1])
        for (operation, constants) in cases {
            let graph = try graph(operation, constants)
            let expected = try BackendChain.all[0].plan(graph, for: [unused]).outputs([unused])[0]
            let plan = try BackendChain.cpu.plan(graph, for: [unused])
            #expect(plan.layers.allSatisfy { $0.backend == "cpu" })
            let difference = TensorComparison(try plan.outputs([unused])[0], expected).difference
            #expect(difference == nil, "\(type(of: operation).name): \(difference ?? "")")
        }
    }
}
