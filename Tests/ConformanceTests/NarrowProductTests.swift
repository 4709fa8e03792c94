import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Products with weights of 8 and 4 bits", .ownThreads)
struct NarrowProductTests {
    private static let (depth, columns, rows) = (72, 83, 7)

    private static let operations: [any ActivationFusing] = [
        QuantizedMatMul(.byRow, activation: .gelu(isApproximate: false)),
        QuantizedMatMul(.fixed(scale: 0.01, zeroPoint: 100, elementType: .uint8)),
        MatMulNBits(depth: depth, columns: columns, blockSize: 16, activation: .gelu(isApproximate: false)),
    ]

    /// [N, rows, depth] → [N, rows, columns]
    private func graph(_ operation: any Operator) throws -> Graph {
        var generator = SplitMix64(seed: 5)
        var graph = Graph(name: "product")
        let x = graph.addValue("x", elementType: .float32, shape: [.batch, .fixed(Self.rows), .fixed(Self.depth)])
        let y = graph.addValue("y")
        (graph.inputs, graph.outputs) = ([x], [y])
        let weights: Tensor
        let scaleCount: Int
        if operation is MatMulNBits {
            let blocks = (Self.depth + 15) / 16
            let bytes = (0..<Self.columns * blocks * 8).map { _ in UInt8.random(in: 0...255, using: &generator) }
            weights = try Tensor(bytes, shape: [Self.columns, blocks, 8])
            scaleCount = Self.columns * blocks
        } else {
            let bytes = (0..<Self.columns * Self.depth).map { _ in Int8.random(in: -127...127, using: &generator) }
            weights = try Tensor(bytes, shape: [Self.depth, Self.columns])
            scaleCount = Self.columns
        }
        let scales = (0..<scaleCount).map { _ in Float.random(in: 0.001...0.01, using: &generator) }
        let inputs = [
            x, graph.addInitializer("weights", weights),
            graph.addInitializer("scales", try Tensor(scales, shape: [scaleCount])),
        ]
        graph.nodes = [Graph.Node(name: "product", operation: operation, inputs: inputs, outputs: [y])]
        try graph.validate()
        return graph
    }

    private func run(
        _ graph: Graph, _ images: [[Float]], threads: Int, _ instructions: InstructionSet
    ) throws -> [[UInt32]] {
        let input = try Tensor(images.flatMap { $0 }, shape: [images.count, Self.rows, Self.depth])
        let backend = CPUBackend(instructionSet: instructions)
        let plan = try Planner(backends: [backend, ReferenceBackend()], threadCount: threads)
            .plan(graph, inputShapes: [input.shape], packedWeights: PackedWeights())
        #expect(plan.layers.allSatisfy { $0.backend == "cpu" })
        let bits = try plan.outputs([input])[0].elements(as: Float.self).map(\.bitPattern)
        let count = Self.rows * Self.columns
        return images.indices.map { Array(bits[$0 * count..<($0 + 1) * count]) }
    }

    @Test(
        "An image has the same bits in every batch, on every number of threads, with every instruction set",
        arguments: operations.indices)
    func isInvariant(index: Int) throws {
        var generator = SplitMix64(seed: 6)
        let images = (0..<5).map { _ in
            (0..<Self.rows * Self.depth).map { _ in Float.random(in: -2...2, using: &generator) }
        }
        let graph = try graph(Self.operations[index])
        for instructions in InstructionSet.available {
            let expected = try images.map { try run(graph, [$0], threads: 1, instructions)[0] }
            #expect(Set(expected).count == images.count)
            for threads in 1...3 {
                for batch in 1...5 {
                    let chosen = (0..<batch).map { 4 - $0 }
                    for (image, bits) in zip(
                        chosen, try run(graph, chosen.map { images[$0] }, threads: threads, instructions))
                    {
                        #expect(bits == expected[image], "\(instructions), \(threads) threads, batch of \(batch)")
                    }
                }
            }
        }
    }

    @Test("A row with a number that is not finite gives NaN, and its neighbours what they give alone")
    func notFinite() throws {
        let graph = try graph(QuantizedMatMul(.byRow))
        var generator = SplitMix64(seed: 8)
        let image = (0..<Self.rows * Self.depth).map { _ in Float.random(in: -2...2, using: &generator) }
        for instructions in InstructionSet.available {
            let expected = try run(graph, [image], threads: 2, instructions)[0]
            for (row, number) in [(0, Float.nan), (3, .infinity), (6, -.infinity)] {
                var changed = image
                changed[row * Self.depth + 11] = number
                let found = try run(graph, [changed], threads: 2, instructions)[0]
                for (index, bits) in found.enumerated() {
                    if index / Self.columns == row {
                        #expect(Float(bitPattern: bits).isNaN)
                    } else {
                        #expect(bits == expected[index])
                    }
                }
            }
        }
    }
}
