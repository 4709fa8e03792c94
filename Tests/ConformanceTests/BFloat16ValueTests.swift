import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

/// The processor with products of bfloat16, and values between layers stored as a test wants them.
private struct StoringBackend: Backend {
    let base = CPUBackend(precision: .bfloat16)
    let bfloat16Values: BFloat16Values
    var name: String { base.name }
    var deviceDescription: String { base.deviceDescription }
    var lowerings: [any Lowering] { base.lowerings }
    var workerCacheByteCount: Int { base.workerCacheByteCount }
}

@Suite(
    "Values in bfloat16 between layers", .ownThreads,
    .enabled("the processor multiplies bfloat16") { ProductPrecision.bfloat16.isSupported(by: .chosen) })
struct BFloat16ValueTests {
    private static func plan(_ graph: Graph, _ values: BFloat16Values, _ input: Tensor) throws -> Plan {
        try Planner(backends: [StoringBackend(bfloat16Values: values), ReferenceBackend()], threadCount: 2)
            .plan(graph, inputShapes: [input.shape], packedWeights: PackedWeights())
    }

    private static func input(_ shape: [Int]) throws -> Tensor {
        var generator = SplitMix64(seed: 3)
        return try Tensor(
            (0..<shape.reduce(1, *)).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
    }

    private static func storedCount(_ plan: Plan) -> Int { plan.layers.count { $0.outputType == .bfloat16 } }

    @Test(
        "Where every reader rounds what it reads, storing it so changes no bit",
        arguments: [
            "resnet50", "mobilenet_v2", "inception_v1", "vit_ti_16", "swin_t", "convnext_tiny",
        ])
    func changesNoBit(_ name: String) throws {
        let graph = try Rewrites.declutter(SmallZoo.build(name).seeded(5)).graph
        let shape = try #require(graph.inputs.first.flatMap { graph[$0].shape })
        let input = try Self.input([2] + shape.dimensions.dropFirst().compactMap(\.value))
        let floats = try Self.plan(graph, .none, input)
        let rounded = try Self.plan(graph, .roundedByReaders, input)
        #expect(Self.storedCount(floats) == 0)
        #expect(Self.storedCount(rounded) > 0)
        let bits = try [floats, rounded].map { plan in
            try plan.outputs([input]).map { $0.elements(as: Float.self).map(\.bitPattern) }
        }
        #expect(bits[0] == bits[1])
    }

    typealias Layers = @Sendable (GraphBuilder.Value) -> GraphBuilder.Value

    /// Layers between two products, and the operators among them whose outputs are stored in bfloat16.
    private static let layers: [(name: String, stored: Set<String>, layers: Layers)] = [
        (
            "depthwise convolution", ["Conv + Clip(0.0, 6.0)"],
            { $0.depthwiseConvolution(kernel: 3, padding: .same).relu6() }
        ),
        (
            "curved depthwise convolution", ["Conv + Swish"],
            { $0.depthwiseConvolution(kernel: 5, padding: .same).silu() }
        ),
        ("minimal filtering", ["Conv + Relu"], { $0.convolution(64, kernel: 3, padding: .same).relu() }),
        ("curved product", ["Conv + Gelu"], { $0.convolution(64, kernel: 1).gelu() }),
        ("maximum", ["MaxPool"], { $0.maxPool(3, stride: 2) }),
        ("average", ["AveragePool"], { $0.averagePool(3, stride: 2) }),
        ("addend", ["Conv + Add"], { $0.convolution(64, kernel: 1) + $0 }),
        ("broadcast factor", ["Mul"], { $0 * $0.globalAveragePool().convolution(64, kernel: 1).sigmoid() }),
        ("sum", ["Add"], { $0.maxPool(1) + $0.averagePool(1) }),
        ("concatenation", ["Concat"], { $0.convolution(32, kernel: 1).concat(with: $0.maxPool(1)) }),
        (
            "normalisation between products", ["BatchNormalization + Relu"],
            { $0.convolution(320, kernel: 1).relu().batchNormalization().relu().convolution(64, kernel: 1) }
        ),
        ("local response", ["LRN"], { $0.localResponseNormalization(size: 5, alpha: 0.1, beta: 0.75, bias: 1) }),
        (
            "local response of many channels", ["LRN"],
            { $0.convolution(320, kernel: 1).localResponseNormalization(size: 4, alpha: 0.1, beta: 0.5, bias: 2) }
        ),
        ("nearest pixels", ["Resize"], { $0.upsample(2) }),
        ("linear resizing", ["Resize"], { $0.resize(height: 33, width: 17) }),
        ("function of a pool", ["Sigmoid"], { $0.maxPool(3).sigmoid() }),
        ("average of an image", ["Conv + Relu"], { $0.globalAveragePool() }),
    ]

    @Test(
        "Layers read and write values in bfloat16, and what they compute is off by its rounding",
        arguments: layers.indices)
    func isClose(index: Int) throws {
        let (name, stored, layers) = Self.layers[index]
        let built = try Graph.build(name) { net in
            let image = net.input("image", .float32, [.batch, 6, 20, 22])
            let inner = layers(image.convolution(64, kernel: 1).relu())
            net.output("result", inner.convolution(32, kernel: 1).relu().convolution(8, kernel: 1))
        }
        let graph = try Rewrites.declutter(built.seeded(11)).graph
        let input = try Self.input([2, 6, 20, 22])
        let plan = try Self.plan(graph, .all, input)
        let operators = Set(plan.layers.filter { $0.outputType == .bfloat16 }.map(\.operatorName))
        #expect(stored.isSubset(of: operators), "\(name): \(operators)")
        let exact = try Self.plan(graph, .none, input).outputs([input])[0].elements(as: Float.self)
        let found = try plan.outputs([input])[0].elements(as: Float.self)
        let size = exact.map(abs).max() ?? 0
        let error = zip(found, exact).map { abs($0 - $1) }.max() ?? 0
        #expect(found.count == exact.count)
        #expect(error <= 0x1p-6 * size, "\(name): \(error) of \(size)")
    }

    @Test("Minimal filtering reads bfloat16 and writes floats for a last product that reads no other")
    func givesFloatsToTheLastProduct() throws {
        let built = try Graph.build("filtering before the last product") { net in
            let image = net.input("image", .float32, [.batch, 6, 40, 42])
            let inner = image.convolution(64, kernel: 1).relu()
            net.output("result", inner.convolution(64, kernel: 3, padding: .same).relu().convolution(8, kernel: 1))
        }
        let graph = try Rewrites.declutter(built.seeded(11)).graph
        let input = try Self.input([2, 6, 40, 42])
        let plan = try Self.plan(graph, .all, input)
        let convolutions = plan.layers.filter { $0.operatorName.hasPrefix("Conv") }
        #expect(convolutions.map(\.outputType) == [.bfloat16, .float32, .float32])
        #expect(convolutions[1].lowering.hasPrefix("winograd"), "\(convolutions.map(\.lowering))")
        let exact = try Self.plan(graph, .none, input).outputs([input])[0].elements(as: Float.self)
        let found = try plan.outputs([input])[0].elements(as: Float.self)
        let error = zip(found, exact).map { abs($0 - $1) }.max() ?? 0
        #expect(found != exact && error <= 0x1p-6 * (exact.map(abs).max() ?? 0), "\(error)")
    }

    @Test("Normalisations, attention and moves between products of tokens")
    func isCloseForTokens() throws {
        for name in ["vit_ti_16", "swin_t"] {
            let graph = try Rewrites.declutter(SmallZoo.build(name).seeded(5)).graph
            let shape = try #require(graph.inputs.first.flatMap { graph[$0].shape })
            let input = try Self.input([1] + shape.dimensions.dropFirst().compactMap(\.value))
            let plan = try Self.plan(graph, .all, input)
            let stored = plan.layers.filter { $0.outputType == .bfloat16 }
            for kind in ["row-normalization", "attention-bf16", "packed-gemm-bf16"] {
                #expect(stored.contains { $0.lowering == kind }, "\(name): \(kind)")
            }
            let exact = try Self.plan(graph, .none, input).outputs([input])[0].elements(as: Float.self)
            let found = try plan.outputs([input])[0].elements(as: Float.self)
            let error = zip(found, exact).map { abs($0 - $1) }.max() ?? 0
            #expect(error <= 0.05 * (exact.map(abs).max() ?? 0), "\(name): \(error)")
        }
    }
}
