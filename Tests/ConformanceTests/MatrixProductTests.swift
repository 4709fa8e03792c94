import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Products of one image's rows", .ownThreads)
struct MatrixProductTests {
    /// The place of a batch's images in the first factor.
    enum Order: CaseIterable { case first, second, flattened, pooled }

    private static let (rows, depth, columns) = (70, 40, 33)

    /// A product of rows by weights, with a bias, between rearrangements of `[N, 70, 40]`.
    private func network(_ order: Order) throws -> Graph {
        var graph = Graph(name: "product")
        let x = graph.addValue("x", elementType: .float32, shape: [.batch, .fixed(Self.rows), .fixed(Self.depth)])
        var generator = SplitMix64(seed: 6)
        func numbers(_ shape: [Int]) throws -> Tensor {
            try Tensor((0..<shape.reduce(1, *)).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
        }
        let w = graph.addInitializer("w", try numbers([Self.depth, Self.columns]))
        let b = graph.addInitializer("b", try numbers([Self.columns]))
        func integers(_ name: String, _ values: [Int64]) throws -> Graph.ValueID {
            graph.addInitializer(name, try Tensor(values, shape: [values.count]))
        }
        func append(_ name: String, _ operation: any Operator, _ inputs: [Graph.ValueID]) -> Graph.ValueID {
            let output = graph.addValue(name)
            graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: inputs, outputs: [output]))
            return output
        }
        let y: Graph.ValueID
        switch order {
        case .first: y = append("product", MatMul(activation: .relu), [x, w])
        case .second:
            let turned = append("turned", Transpose(permutation: [1, 0, 2]), [x])
            y = append("back", Transpose(permutation: [1, 0, 2]), [append("product", MatMul(), [turned, w])])
        case .flattened:
            let flat = append("flat", Reshape(), [x, try integers("rows", [-1, Int64(Self.depth)])])
            let product = append("product", Gemm(), [flat, w, b])
            y = append(
                "back", Reshape(), [product, try integers("images", [-1, Int64(Self.rows), Int64(Self.columns)])])
        case .pooled:
            let pooled = append(
                "pooled", ReduceMean(axes: ReductionAxes(axes: [1], keepsAxes: false)), [x])
            y = append("product", Gemm(), [pooled, w, b])
        }
        graph.inputs = [x]
        graph.outputs = [y]
        try graph.validate()
        return graph
    }

    @Test(
        "All rows of an image are one product wherever images lie; its bits are the same in every batch",
        arguments: Order.allCases, [BackendChain.cpu] + BackendChain.openBLAS)
    func products(order: Order, chain: BackendChain) throws {
        let graph = try network(order)
        var generator = SplitMix64(seed: 7)
        let size = Self.rows * Self.depth
        let images = (0..<3).map { _ in (0..<size).map { _ in Float.random(in: -2...2, using: &generator) } }
        func output(_ chosen: [Int], _ backends: [any Backend]) throws -> [Float] {
            let input = try Tensor(chosen.flatMap { images[$0] }, shape: [chosen.count, Self.rows, Self.depth])
            let plan = try Planner(backends: backends, threadCount: 2).plan(
                graph, inputShapes: [input.shape], packedWeights: PackedWeights())
            if backends.first is OpenBLASBackend {
                let product = try #require(plan.layers.first { $0.name == "product" })
                #expect(product.backend == "openblas")
                #expect(product.lowering == (order == .pooled ? "gemv-rows" : "stacked-gemm"))
            }
            return try plan.outputs([input])[0].elements(as: Float.self)
        }
        let alone = try images.indices.map { try output([$0], chain.backends) }
        for (chosen, expected) in [([2, 0, 1], [2, 0, 1]), ([1, 1], [1, 1])] {
            let together = try output(chosen, chain.backends)
            let each = together.count / chosen.count
            for (position, image) in expected.enumerated() {
                let found = together[position * each..<(position + 1) * each].map(\.bitPattern)
                #expect(found == alone[image].map(\.bitPattern), "image \(image) at \(position)")
            }
        }
        let reference = try output([0], [ReferenceBackend()])
        #expect(zip(alone[0], reference).allSatisfy { abs($0 - $1) < 1e-4 })
    }

    @Test("A stack of many matrices is declined rather than listed")
    func declinesManyStacks() throws {
        let graph = try Graph.build("stacks") { net in
            let a = net.input("a", .float32, [.batch, 600_000, 1, 2])
            let b = net.input("b", .float32, [.batch, 600_000, 2, 1])
            net.output("y", net.append(MatMul(), kind: "product", [a, b]))
        }
        let plan = try Planner(backends: BackendChain.cpu.backends, threadCount: 1).plan(
            graph, inputShapes: [[1, 600_000, 1, 2], [1, 600_000, 2, 1]], packedWeights: PackedWeights())
        #expect(plan.layers.map(\.backend) == ["reference"])
        #expect(plan.layers[0].considered.contains { $0.reason == "600000 stacked matrices" })
    }
}
