import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Elementwise layers that run as one step", .ownThreads)
struct JoinedFunctionTests {
    /// The outputs of two runs of a plan, the first of which leaves NaN in memory.
    private func outputs(_ graph: Graph, _ input: Tensor, threads: Int) throws -> (plan: Plan, tensors: [Tensor]) {
        let plan = try Planner(backends: [CPUBackend()], threadCount: threads)
            .plan(graph, inputShapes: [input.shape], packedWeights: PackedWeights())
        let execution = Execution(workers: try #require(ThreadPool(count: threads)))
        let poison = try Tensor([Float](repeating: .nan, count: input.elementCount), shape: input.shape)
        _ = try execution.run(plan, inputs: [poison])
        return (plan, try execution.run(plan, inputs: [input]))
    }

    private func bits(_ tensor: Tensor) -> [UInt32] {
        tensor.elementType == .float32
            ? tensor.elements(as: Float.self).map(\.bitPattern)
            : tensor.elements(as: Int32.self).map { UInt32(bitPattern: $0) }
    }

    @Test("Joined layers give the bits of layers that run alone", arguments: 0..<UInt64(120))
    func areExact(seed: UInt64) throws {
        let chain = try RandomElementwiseChain(seed: seed)
        for images in [1, 3] {
            let input = try chain.input(images)
            // Where every value is an output, no layers are joined.
            var apart = chain.graph
            apart.outputs = apart.nodes.flatMap { $0.outputs.compactMap { $0 } }
            let expected = try outputs(apart, input, threads: 1)
            #expect(!expected.plan.layers.contains { $0.memory == .registers })
            let wanted = try #require(expected.tensors.last)
            for threads in 1...3 {
                let joined = try outputs(chain.graph, input, threads: threads)
                #expect(
                    bits(joined.tensors[0]) == bits(wanted), "\(images) images, \(threads) threads\n\(chain.listing)")
            }
        }
    }

    @Test("Most random chains have joined layers")
    func areJoined() throws {
        let joined = try (0..<UInt64(120)).filter { seed in
            let chain = try RandomElementwiseChain(seed: seed)
            return try outputs(chain.graph, chain.input(1), threads: 1).plan.layers.contains { $0.memory == .registers }
        }
        #expect(joined.count > 100)
    }

    @Test("Joined layers agree with the reference", arguments: 200..<UInt64(240))
    func agreeWithReference(seed: UInt64) throws {
        let chain = try RandomElementwiseChain(seed: seed, isQuantized: false)
        let input = try chain.input(2)
        let found = try outputs(chain.graph, input, threads: 2).tensors[0]
        let expected = try ReferenceEvaluation.run(chain.graph, [input])[0]
        let difference = TensorComparison(found, expected, relative: 1e-3, absolute: 1e-5).difference
        #expect(difference == nil, "\(difference ?? "")\n\(chain.listing)")
    }

    @Test("Values that are computed for every image are read beside a chain, on either side", arguments: [1, 3])
    func readsComputedValues(_ images: Int) throws {
        let graph = try Graph.build("computed") { net in
            let image = net.input("image", .float32, [.batch, 8, 7, 9])
            let shared = image.relu()
            net.output("result", (image - (shared.sigmoid() + shared)) * shared)
        }
        let input = try Tensor(
            (0..<504 * images).map { Float($0 * 7 % 101) / 50 - 1 }, shape: [images, 8, 7, 9])
        let expected = try ReferenceEvaluation.run(graph, [input])[0]
        for threads in 1...2 {
            let (plan, tensors) = try outputs(graph, input, threads: threads)
            #expect(plan.layers.filter { $0.memory == PlannedLayer.Memory.registers }.count == 3)
            let difference = TensorComparison(tensors[0], expected, relative: 1e-5, absolute: 1e-6).difference
            #expect(difference == nil, "\(difference ?? "")")
        }
    }

    @Test("A constant whose elements lie in another order is read in the order of its shape")
    func readsTransposedConstants() throws {
        var graph = try Graph.build("transposed") { net in
            let image = net.input("image", .float32, [5, 7])
            net.output("result", image.relu().sigmoid())
        }
        let numbers = try Tensor((0..<35).map { Float($0) }, shape: [7, 5]).transposed([1, 0])
        let constant = graph.addInitializer("numbers", numbers)
        let sum = graph.addValue("sum")
        let last = graph.outputs[0]
        graph.nodes.append(
            Graph.Node(name: "sum", operation: Add(), inputs: [last, constant], outputs: [sum]))
        graph.outputs = [sum]
        let input = try Tensor((0..<35).map { Float($0) / 9 - 2 }, shape: [5, 7])
        let found = try outputs(graph, input, threads: 1).tensors[0]
        let expected = try ReferenceEvaluation.run(graph, [input])[0]
        #expect(TensorComparison(found, expected, relative: 1e-5, absolute: 1e-6).difference == nil)
    }

    @Test("What lies in place in a Concat, or is read twice, is not joined")
    func keepsWhatIsInPlace() throws {
        let graph = try Graph.build("in place") { net in
            // Channels-last values lie in place in a Concat of channels.
            let image = net.input("image", .float32, [.batch, 8, 7, 9]).convolution(8, kernel: 3, padding: .same)
            let parts = [image.relu().sigmoid(), image.sigmoid().relu()]
            net.output("joined", net.concat(parts))
            let shared = image.relu()
            net.output("shared", shared.sigmoid() + shared)
        }
        .seeded(11)
        let input = try Tensor((0..<504).map { Float($0 % 19) / 9 - 1 }, shape: [1, 8, 7, 9])
        let (plan, tensors) = try outputs(graph, input, threads: 2)
        for (found, expected) in zip(tensors, try ReferenceEvaluation.run(graph, [input])) {
            #expect(TensorComparison(found, expected, relative: 1e-4, absolute: 1e-5).difference == nil)
        }
        let slices = plan.layers.filter { if case .slice = $0.memory { true } else { false } }
        #expect(slices.map(\.name) == ["sigmoid1", "relu2"])
        #expect(plan.layers.filter { $0.memory == PlannedLayer.Memory.registers }.map(\.name) == ["sigmoid3"])
    }
}

/// Elementwise nodes one after another, each the only reader of the one before. The seed determines them.
private struct RandomElementwiseChain {
    private(set) var graph: Graph
    private let shape: [Int]
    private let seed: UInt64
    private var generator: SplitMix64

    init(seed: UInt64, isQuantized: Bool = true) throws {
        self.seed = seed
        generator = SplitMix64(seed: seed)
        graph = Graph(name: "elementwise \(seed)")
        shape =
            [[5], [7, 3], [1, 1], [3, 5, 7], [6, 200], [40, 33, 17], [1025]].randomElement(using: &generator) ?? [5]
        var dimensions = Shape(shape).dimensions
        dimensions.insert(.batch, at: 0)
        let input = graph.addValue("x", elementType: .float32, shape: Shape(dimensions))
        graph.inputs = [input]
        var value = input
        var isBytes = false
        for _ in 0..<Int.random(in: 2...9, using: &generator) {
            if isBytes {
                value = append(
                    DequantizeLinear(), [value, try number(0.031), try zeroPoint(byteType)])
                isBytes = false
                continue
            }
            switch Int.random(in: 0...(isQuantized ? 9 : 5), using: &generator) {
            case 0: value = append(Sigmoid(), [value])
            case 1: value = append(Gelu(), [value])
            case 2: value = append(Clip(), [value, try number(-0.7), try number(0.9)])
            case 3, 4, 5:
                let other = try constant()
                let operation: any Operator =
                    [Add(), Sub(), Mul(), Max(), Div()].randomElement(using: &generator) ?? Add()
                value = append(operation, Bool.random(using: &generator) ? [value, other] : [other, value])
            default:
                byteType = Bool.random(using: &generator) ? .uint8 : .int8
                value = append(
                    QuantizeLinear(),
                    [
                        value, try number([0.02, 0.031, 0.125].randomElement(using: &generator) ?? 1),
                        try zeroPoint(byteType),
                    ])
                isBytes = true
            }
        }
        graph.outputs = [value]
        try graph.validate()
    }

    private var byteType = ElementType.uint8

    var listing: String { "seed \(seed), \(shape): " + graph.nodes.map(\.operatorName).joined(separator: ", ") }

    func input(_ images: Int) throws -> Tensor {
        var generator = SplitMix64(seed: seed &+ 1)
        let count = shape.reduce(images, *)
        // Multiples of an eighth lie halfway between integers of some scales.
        return try Tensor(
            (0..<count).map { _ in
                Bool.random(using: &generator)
                    ? Float(Int.random(in: -40...40, using: &generator)) / 16
                    : Float.random(in: -3...3, using: &generator)
            }, shape: [images] + shape)
    }

    private mutating func append(_ operation: any Operator, _ inputs: [Graph.ValueID?]) -> Graph.ValueID {
        let name = "node\(graph.nodes.count)"
        let output = graph.addValue(name)
        graph.nodes.append(Graph.Node(name: name, operation: operation, inputs: inputs, outputs: [output]))
        return output
    }

    private mutating func add(_ tensor: Tensor) -> Graph.ValueID {
        graph.addInitializer("constant\(graph.values.count)", tensor)
    }

    private mutating func number(_ value: Float) throws -> Graph.ValueID { add(try Tensor([value], shape: [])) }

    private mutating func zeroPoint(_ type: ElementType) throws -> Graph.ValueID {
        let range = type == .uint8 ? 0...255 : -128...127
        return add(
            try Tensor(
                [Int64.random(in: Int64(range.lowerBound)...Int64(range.upperBound), using: &generator)],
                as: type, shape: []))
    }

    /// A number, a row, or an array with all axes of an image, none of whose elements is 0.
    private mutating func constant() throws -> Graph.ValueID {
        let suffix = Int.random(in: 0...shape.count, using: &generator)
        let extents = Array(shape.suffix(suffix))
        return add(
            try Tensor(
                (0..<extents.reduce(1, *)).map { _ in Float.random(in: 0.5...1.5, using: &generator) }, shape: extents))
    }
}
