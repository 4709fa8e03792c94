import ConformanceCases
import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Elementwise layers that run as one kernel", .ownThreads, .enabled(if: TestDevice.isPresent))
struct ElementwiseFusionTests {
    /// A network of nodes that read values by name: images `x`, and `scale` and `column`, which broadcast.
    private static func graph(
        _ nodes: [(String, any Operator, [String])], outputs: [String]
    ) throws -> Graph {
        var graph = Graph(name: "elementwise")
        let image = graph.addValue("x", elementType: .float32, shape: Shape([2, 8, 5, 7]))
        graph.inputs = [image]
        var values = ["x": image]
        values["scale"] = graph.addInitializer("scale", try DeviceExecutionTests.input([8, 1, 1], seed: 7))
        values["column"] = graph.addInitializer("column", try DeviceExecutionTests.input([1, 1, 5, 1], seed: 8))
        for (name, operation, reads) in nodes {
            let output = graph.addValue(name)
            graph.nodes.append(
                Graph.Node(name: name, operation: operation, inputs: reads.map { values[$0] }, outputs: [output]))
            values[name] = output
        }
        graph.outputs = outputs.compactMap { values[$0] }
        try graph.validate()
        return graph
    }

    /// Runs a graph on the device and on the reference, and returns the layers whose results stay in registers.
    private func fused(_ graph: Graph, seed: UInt64 = 1) throws -> [String] {
        let device = try #require(TestDevice.shared)
        let inputs = try graph.inputs.enumerated().map { index, id in
            try DeviceExecutionTests.input(graph[id].shape?.fixed ?? [], seed: seed + UInt64(index))
        }
        let plan = try TestDevice.planner(device).plan(
            graph, inputShapes: inputs.map(\.shape), packedWeights: PackedWeights())
        let execution = Execution(workers: try #require(ThreadPool(count: 2)))
        // Leaves NaN in the device's memory.
        let poison = try inputs.map { try Tensor([Float](repeating: .nan, count: $0.elementCount), shape: $0.shape) }
        _ = try execution.run(plan, inputs: poison)
        let outputs = try execution.run(plan, inputs: inputs)
        for (output, expected) in zip(outputs, try ReferenceEvaluation.run(graph, inputs)) {
            let difference = TensorComparison(output, expected, relative: 1e-3, absolute: 1e-5).difference
            #expect(difference == nil, "\(difference ?? "")")
        }
        let kernels = plan.layers.filter { $0.backend == "opencl" && $0.transferByteCount == 0 }
        let registers = kernels.filter { $0.memory == .registers }
        #expect(plan.devicePart?.steps.count == kernels.count - registers.count)
        return registers.map(\.name)
    }

    @Test("A chain with values that broadcast is one kernel, whichever operand it joins")
    func joinsChains() throws {
        let graph = try Self.graph(
            [
                ("a", Exp(), ["x"]), ("b", Mul(), ["x", "a"]), ("c", Sub(), ["scale", "b"]),
                ("d", Tanh(), ["c"]), ("e", Add(), ["d", "column"]), ("f", Neg(), ["e"]),
            ], outputs: ["f"])
        #expect(try fused(graph) == ["a", "b", "c", "d", "e"])
    }

    @Test("A quotient by the chain, and more stages and operands than a kernel takes")
    func joinsLongChains() throws {
        var nodes: [(String, any Operator, [String])] = [("a", Exp(), ["x"]), ("b", Div(), ["scale", "a"])]
        var last = "b"
        for index in 0..<9 {
            nodes.append(("n\(index)", index % 3 == 0 ? Tanh() : Add(), index % 3 == 0 ? [last] : [last, "column"]))
            last = "n\(index)"
        }
        #expect(try fused(try Self.graph(nodes, outputs: [last])).count == nodes.count - 1)
    }

    @Test("What others read too, or what is an output, ends a kernel")
    func keepsWhatOthersRead() throws {
        let shared = try Self.graph(
            [("a", Exp(), ["x"]), ("b", Tanh(), ["a"]), ("c", Add(), ["a", "b"]), ("d", Neg(), ["c"])],
            outputs: ["d"])
        #expect(try fused(shared) == ["b", "c"])
        let output = try Self.graph(
            [("a", Exp(), ["x"]), ("b", Tanh(), ["a"]), ("c", Neg(), ["b"])], outputs: ["b", "c"])
        #expect(try fused(output) == ["a"])
    }

    @Test("What is computed for fewer elements, and squares of a result, stay apart")
    func keepsSmallerResults() throws {
        let graph = try Self.graph(
            [
                ("m", GlobalAveragePool(), ["x"]), ("a", Tanh(), ["m"]), ("b", Mul(), ["x", "a"]),
                ("c", Mul(), ["b", "b"]),
            ],
            outputs: ["c"])
        #expect(try fused(graph).isEmpty)
    }
}
