import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("A transformer on the processor", .ownThreads)
struct TransformerInvarianceTests {
    private static let threads = [1, 2, 3]
    private static let batches = [1, 2, 3, 5]
    private static let width = 48

    /// Patches, two blocks of attention and features as exporters write them, and a mean over the rows.
    private func network() throws -> Graph {
        try Graph.build("transformer") { net in
            var x = net.input("image", .float32, [.batch, 3, 40, 40]).convolution(Self.width, kernel: 4, stride: 4)
            x = net.transposed(net.reshaped(x, [0, Int64(Self.width), 100]), [0, 2, 1])
            for block in 0..<2 {
                let heads = net.reshaped(net.product(net.normalized(x), 3 * Self.width), [0, 100, 3, 3, 16])
                let parts = (0..<3).map { net.taken(net.transposed(heads, [2, 0, 3, 1, 4]), $0) }
                let scores = net.quartered(net.added(MatMul(), parts[0], net.transposed(parts[1], [0, 1, 3, 2])))
                let biased =
                    block == 0 ? scores : scores + net.constant("bias", net.random([1, 3, 100, 100], "bias"))
                let weights = net.append(Softmax(), kind: "softmax", [biased])
                let joined = net.transposed(net.added(MatMul(), weights, parts[2]), [0, 2, 1, 3])
                x = x + net.product(net.reshaped(joined, [0, 100, Int64(Self.width)]), Self.width)
                let hidden = net.append(Gelu(), kind: "gelu", [net.product(net.normalized(x), 4 * Self.width)])
                x = x + net.product(hidden, Self.width)
            }
            net.output(
                "y", net.append(ReduceMean(axes: ReductionAxes(axes: [1], keepsAxes: false)), kind: "mean", [x]))
        }
    }

    @Test(
        "An image has the same bits in every batch, at every position, on every number of threads",
        arguments: [BackendChain.cpu] + BackendChain.openBLAS)
    func isInvariant(chain: BackendChain) throws {
        let graph = try Rewrites.declutter(network().seeded(3)).graph
        #expect(graph.nodes.count { $0.operation is ScaledDotProductAttention } == 2)
        var generator = SplitMix64(seed: 4)
        let images = (0..<5).map { _ in (0..<3 * 40 * 40).map { _ in Float.random(in: -2...2, using: &generator) } }
        var expected: [[UInt32]] = []
        for threads in Self.threads {
            let execution = Execution(workers: try #require(ThreadPool(count: threads)))
            func run(_ chosen: [Int]) throws -> [[UInt32]] {
                let input = try Tensor(chosen.flatMap { images[$0] }, shape: [chosen.count, 3, 40, 40])
                let plan = try Planner(backends: chain.backends, threadCount: threads).plan(
                    graph, inputShapes: [input.shape], packedWeights: PackedWeights())
                for layer in plan.layers where layer.backend != chain.name || layer.operatorName == "Reorder" {
                    Issue.record("\(layer.name) (\(layer.operatorName)) runs on \(layer.backend)")
                }
                let bits = try execution.run(plan, inputs: [input])[0].elements(as: Float.self).map(\.bitPattern)
                return chosen.indices.map { Array(bits[$0 * Self.width..<($0 + 1) * Self.width]) }
            }
            if expected.isEmpty { expected = try images.indices.map { try run([$0])[0] } }
            #expect(Set(expected).count == images.count)
            for batch in Self.batches {
                let chosen = (0..<batch).map { 4 - $0 }
                for (image, bits) in zip(chosen, try run(chosen)) {
                    #expect(bits == expected[image], "\(threads) threads, image \(image) in a batch of \(batch)")
                }
            }
        }
    }

    @Test("The processor agrees with the reference")
    func agrees() throws {
        let graph = try network().seeded(3)
        var generator = SplitMix64(seed: 4)
        let input = try Tensor(
            (0..<2 * 3 * 40 * 40).map { _ in Float.random(in: -2...2, using: &generator) }, shape: [2, 3, 40, 40])
        let expected = try BackendChain([ReferenceBackend()]).plan(graph, for: [input]).outputs([input])[0]
        for chain in [BackendChain.cpu] + BackendChain.openBLAS + BackendChain.openCL {
            let found = try chain.plan(graph, for: [input]).outputs([input])[0]
            for (a, b) in zip(found.elements(as: Double.self), expected.elements(as: Double.self)) {
                #expect((a - b).magnitude < 2e-5 * max(1, b.magnitude), "\(chain.name): \(a), not \(b)")
            }
        }
    }
}

extension GraphBuilder {
    fileprivate func reshaped(_ x: Value, _ shape: [Int64]) -> Value {
        append(Reshape(), kind: "reshape", [x], constants: [.init(suffix: "shape", content: integers(shape))])
    }

    fileprivate func transposed(_ x: Value, _ order: [Int]) -> Value {
        append(Transpose(permutation: order), kind: "transpose", [x])
    }

    fileprivate func taken(_ x: Value, _ index: Int64) -> Value {
        let content = (try? integers([index]).reshaped(to: [])) ?? integers([index])
        return append(Gather(), kind: "gather", [x], constants: [.init(suffix: "index", content: content)])
    }

    fileprivate func product(_ x: Value, _ columns: Int) -> Value {
        let rows = x.shape?.dimensions.last?.value ?? 1
        let y = append(
            MatMul(), kind: "product", [x],
            constants: [.init(suffix: "weight", content: random([rows, columns], "\(rows)x\(columns)"))])
        return append(
            Add(), kind: "bias", [y], constants: [.init(suffix: "bias", content: random([columns], "\(columns)"))])
    }

    fileprivate func normalized(_ x: Value) -> Value {
        let length = x.shape?.dimensions.last?.value ?? 1
        return append(
            LayerNormalization(), kind: "norm", [x],
            constants: [
                .init(suffix: "scale", content: random([length], "scale")),
                .init(suffix: "bias", content: random([length], "shift")),
            ])
    }

    fileprivate func added(_ operation: any Operator, _ a: Value, _ b: Value) -> Value {
        append(operation, kind: "node", [a, b])
    }

    fileprivate func quartered(_ x: Value) -> Value {
        append(Mul(), kind: "scale", [x], constants: [.init(suffix: "factor", content: filled([0.25], []))])
    }

    /// Normal numbers, of a variance of 1 over the first extent.
    fileprivate func random(_ shape: [Int], _ seed: String) -> Tensor {
        var numbers = NormalNumbers(seed: 9, stream: seed)
        let scale = 1 / Float(shape.count == 2 ? shape[0] : 4).squareRoot()
        return filled((0..<shape.reduce(1, *)).map { _ in Float(numbers.next()) * scale }, shape)
    }

    private func filled(_ values: [Float], _ shape: [Int]) -> Tensor {
        guard let tensor = try? Tensor(values, shape: shape) else { preconditionFailure("no memory") }
        return tensor
    }

    private func integers(_ values: [Int64]) -> Tensor {
        guard let tensor = try? Tensor(values, shape: [values.count]) else { preconditionFailure("no memory") }
        return tensor
    }
}
