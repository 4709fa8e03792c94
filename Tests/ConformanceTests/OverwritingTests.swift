import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Sums take the memory of what is added, where nothing reads it afterwards", .ownThreads)
struct OverwritingTests {
    typealias Value = GraphBuilder.Value

    /// Checks the outputs, and returns the overwritten values by the names of the layers that overwrite them.
    private func overwritten(_ graph: Graph, images: Int = 2, _ comment: Comment? = nil) throws -> [String: String] {
        let shape = [images, 8, 7, 9]
        var generator = SplitMix64(seed: 7)
        let input = try Tensor(
            (0..<shape.reduce(1, *)).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
        let plan = try BackendChain.cpu.plan(graph, for: [input])
        let pool = try #require(ThreadPool(count: plan.threadCount))
        let execution = Execution(workers: pool)
        // Leaves NaN in memory, so that a read before the write in the second run is noticed.
        let poison = try Tensor([Float](repeating: .nan, count: input.elementCount), shape: shape)
        _ = try execution.run(plan, inputs: [poison])
        let outputs = try execution.run(plan, inputs: [input])
        for (output, expected) in zip(outputs, try ReferenceEvaluation.run(graph, [input])) {
            let difference = TensorComparison(output, expected, relative: 1e-3, absolute: 1e-4).difference
            #expect(difference == nil, comment)
        }
        var names: [String: String] = [:]
        for layer in plan.layers {
            if case .arena(_, _, let input?) = layer.memory { names[layer.name] = input }
        }
        return names
    }

    /// The network whose outputs `layers` computes from an image.
    private func network(_ layers: (Value) -> [Value]) throws -> Graph {
        let built = try Graph.build("sums") { net in
            for (index, value) in layers(net.input("image", .float32, [.batch, 8, 7, 9])).enumerated() {
                net.output("result\(index)", value)
            }
        }
        return try Rewrites.declutter(built.seeded(11)).graph
    }

    private static func convolved(_ value: Value) -> Value { value.convolution(8, kernel: 3, padding: .same) }

    @Test("Blocks of a residual network take one block of memory in turn")
    func overwrites() throws {
        let names = try overwritten(
            try network { image in
                let first = Self.convolved(image).relu()
                let second = (Self.convolved(Self.convolved(first)) + first).relu()
                let third = (second.convolution(16, kernel: 1).convolution(8, kernel: 1) + second).relu()
                return [third.globalAveragePool()]
            })
        #expect(names == ["convolution3": "relu1", "convolution5": "relu2"])
    }

    @Test("What is read later, or given as an output, stays")
    func keepsWhatIsRead() throws {
        func block(_ value: Value) -> Value { (Self.convolved(Self.convolved(value)) + value).relu() }
        let isConvolved = try network { image in
            let first = Self.convolved(image).relu()
            return [(Self.convolved(first) + first).relu().globalAveragePool()]
        }
        #expect(try overwritten(isConvolved).isEmpty)
        let readLater = try network { image in
            let first = Self.convolved(image).relu()
            return [block(first).globalAveragePool(), first.globalAveragePool()]
        }
        #expect(try overwritten(readLater).isEmpty)
        let isOutput = try network { image in
            let first = Self.convolved(image).relu()
            return [block(first).globalAveragePool(), first]
        }
        #expect(try overwritten(isOutput).isEmpty)
        let isInput = try network { [block($0).globalAveragePool()] }
        // The overwritten value is a copy of the input, in the layout of the convolutions.
        #expect(try overwritten(isInput).values.sorted() == ["image"])
        let isViewed = try network { image in
            let first = Self.convolved(image).relu()
            let flat = first.reshape([-1, 8, 63])
            return [block(first).globalAveragePool(), flat.softmax(axis: 1)]
        }
        #expect(try overwritten(isViewed).isEmpty)
    }

    /// A network of random convolutions, views and slices, most with a sum; the seed determines it.
    private func randomNetwork(seed: UInt64) throws -> Graph {
        var generator = SplitMix64(seed: seed)
        return try network { image in
            var values = [image]
            var unread: Set<Int> = []
            func pick() -> Value {
                let isLast = Bool.random(using: &generator)
                let index = isLast ? values.count - 1 : Int.random(in: 0..<values.count, using: &generator)
                unread.remove(index)
                return values[index]
            }
            for _ in 0..<Int.random(in: 3...9, using: &generator) {
                let source = pick()
                var value =
                    switch Int.random(in: 0...7, using: &generator) {
                    case 0: source.maxPool(1)
                    case 1: source.concat(with: pick()).convolution(8, kernel: 1)
                    case 2: source.reshape([-1, 8, 63]).softmax(axis: 1).reshape([-1, 8, 7, 9])
                    case 3...4: source.convolution(8, kernel: 1)
                    default: Self.convolved(source)
                    }
                if Int.random(in: 0...3, using: &generator) > 0 { value = value + pick() }
                unread.insert(values.count)
                values.append(Bool.random(using: &generator) ? value.relu() : value)
            }
            if Bool.random(using: &generator) { unread.insert(Int.random(in: 1..<values.count, using: &generator)) }
            return unread.sorted().map { values[$0] }
        }
    }

    @Test("Random sums of convolutions of one another give what their operators give")
    func agrees() throws {
        var count = 0
        for seed in UInt64(0)..<300 {
            count += try overwritten(try randomNetwork(seed: seed), images: 1 + Int(seed % 2), "seed \(seed)").count
        }
        print("OverwritingTests: \(count) values written over")
        #expect(count > 100)
    }
}
