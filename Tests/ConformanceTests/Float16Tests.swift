import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

/// Arithmetic of float16, and its emulation, as far as this processor has them.
private let precisions = [ProductPrecision.float16, .emulatedFloat16].filter { precision in
    let isSupported = precision.isSupported(by: .chosen)
    if !isSupported { print("Nothing is tested in \(precision.rawValue): this processor does not compute in it") }
    return isSupported
}

@Suite("Products of float16 on the processor", .ownThreads)
struct Float16Tests {
    private static func rounded(_ tensor: Tensor) throws -> Tensor {
        try Tensor(tensor.elements(as: Float.self).map { Float(Float16($0)) }, shape: tensor.shape)
    }

    /// Σ |a · b| of every element of a product; nil for operators that are never computed in float16.
    private static func magnitudes(_ operation: any Operator, _ inputs: [Tensor?]) throws -> [Double]? {
        let factors = try inputs.prefix(2).map { input in
            try input.map { try Tensor($0.elements(as: Float.self).map(\.magnitude), shape: $0.shape) }
        }
        let plain: any Operator
        switch operation {
        case var convolution as Conv:
            convolution.activation = nil
            plain = convolution
        case is MatMul: plain = MatMul()
        case var product as Gemm:
            product.activation = nil
            product.alpha = product.alpha.magnitude
            plain = product
        default: return nil
        }
        let types = try plain.outputTypes(for: factors.map { $0.map { TensorType($0) } })
        return try plain.evaluate(factors, outputTypes: types)[0].elements(as: Double.self)
    }

    @Test(
        "Every convolution and product gives what its own evaluation gives of rounded operands", arguments: precisions)
    func agrees(_ precision: ProductPrecision) throws {
        let backend = RoundingLowerings(base: CPUBackend(precision: precision))
        var used: [String: Int] = [:]
        for conformanceCase in ConformanceCases.all {
            let operation = conformanceCase.operation
            var inputs = try conformanceCase.makeInputs()
            guard operation is Conv || operation is MatMul || operation is Gemm,
                inputs.allSatisfy({ $0 == nil || $0?.elementType == .float32 })
            else { continue }
            let given = try conformanceCase.givenInputs()
            for threads in [1, 3] {
                let plan = try Planner(backends: [backend, ReferenceBackend()], threadCount: threads)
                    .plan(
                        try conformanceCase.makeGraph(), inputShapes: given.map(\.shape),
                        packedWeights: PackedWeights())
                guard let layer = plan.layers.last(where: { $0.backend == "cpu" }) else { continue }
                used[layer.lowering, default: 0] += 1
                for position in 0..<2 { inputs[position] = try inputs[position].map(Self.rounded) }
                let types = try operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
                let expected = try operation.evaluate(inputs, outputTypes: types)[0].elements(as: Double.self)
                let magnitudes = try #require(try Self.magnitudes(operation, inputs))
                let tolerance = conformanceCase.tolerance
                let output = try plan.outputs(given)[0].elements(as: Double.self)
                let wrong = output.indices.first { index in
                    // A chain of 32 products is off by 2⁻⁶ of their magnitudes at most, since its roundings would all
                    // have to go the same way.
                    !tolerance.accepts(output[index], expected: expected[index])
                        && !((output[index] - expected[index]).magnitude <= 0x1p-8 * magnitudes[index])
                        && !(magnitudes[index] > Double(Float16.greatestFiniteMagnitude))
                }
                #expect(
                    wrong == nil,
                    """
                    \(conformanceCase.name), seed \(conformanceCase.seed), \(layer.lowering): \
                    \(wrong.map { (output[$0], expected[$0], magnitudes[$0]) } as Any)
                    """)
            }
        }
        #expect(used["implicit-gemm-\(precision.rawValue)", default: 0] > 20, "\(used)")
        #expect(used["packed-gemm-\(precision.rawValue)", default: 0] > 5, "\(used)")
    }

    private static func plan(
        _ network: String, _ precision: ProductPrecision
    ) throws -> (plan: Plan, inputShape: [Int]) {
        let graph = try Rewrites.declutter(SmallZoo.build(network).seeded(5)).graph
        let shape = try #require(graph.inputs.first.flatMap { graph[$0].shape })
        let extents = [1] + shape.dimensions.dropFirst().compactMap(\.value)
        let plan = try Planner(backends: [CPUBackend(precision: precision), ReferenceBackend()], threadCount: 2)
            .plan(graph, inputShapes: [extents], packedWeights: PackedWeights())
        return (plan, extents)
    }

    @Test("The last product of a network is computed in float32", arguments: precisions)
    func leavesTheLastLayer(_ precision: ProductPrecision) throws {
        let products = try Self.plan("resnet18", precision).plan.layers.filter { $0.lowering.contains("gemm") }
        #expect(products.last?.lowering == "packed-gemm")
        #expect(products.dropLast().contains { $0.lowering == "implicit-gemm-\(precision.rawValue)" })
    }

    /// The root mean square of the difference of a network's outputs from those in float32, over that of these.
    private static func error(_ network: String, _ precision: ProductPrecision) throws -> Double {
        let (plan, shape) = try plan(network, precision)
        #expect(plan.layers.contains { $0.lowering.hasSuffix("-\(precision.rawValue)") })
        var generator = SplitMix64(seed: 7)
        let input = try Tensor(
            (0..<shape.reduce(1, *)).map { _ in Float(generator.nextUnit() * 4 - 2) }, shape: shape)
        let outputs = try [plan, Self.plan(network, .float32).plan].map {
            try $0.outputs([input])[0].elements(as: Double.self)
        }
        func square(_ numbers: [Double]) -> Double { numbers.reduce(0) { $0 + $1 * $1 } }
        return (square(zip(outputs[0], outputs[1]).map(-)) / square(outputs[1])).squareRoot()
    }

    @Test(
        "Networks give the answers of float32, off by less than a hundredth", arguments: precisions,
        ["squeezenet1_1", "resnet50", "mobilenet_v2", "convnext_tiny", "vit_b_16"])
    func staysNearFloat32(_ precision: ProductPrecision, _ network: String) throws {
        let error = try Self.error(network, precision)
        #expect(error > 0 && error < 0.01)
    }

    @Test("Strips give the bits that whole layers give", arguments: precisions, 0..<UInt64(40))
    func hasTheSameBitsInStrips(_ precision: ProductPrecision, seed: UInt64) throws {
        let chain = try RandomChain(seed: seed)
        func bits(images: Int, threads: Int, cache: Int) throws -> [[UInt32]] {
            let backend = CPUBackend(precision: precision, workerCacheByteCount: cache)
            return try Planner(backends: [backend], threadCount: threads)
                .plan(chain.graph, inputShapes: [chain.inputShape(images)], packedWeights: PackedWeights())
                .outputs([try chain.input(images)]).map { $0.elements(as: Float.self).map(\.bitPattern) }
        }
        for images in 1...2 {
            let expected = try bits(images: images, threads: 1, cache: 0)
            for (threads, cache) in [(1, 5_000), (2, 15_000), (3, 60_000)] {
                let isSame = try bits(images: images, threads: threads, cache: cache) == expected
                #expect(isSame, "\(images) images, \(threads) threads, \(cache) bytes\n\(chain.listing)")
            }
        }
    }

    @Test("A weight beyond the range of float16 is an error that tells it", arguments: precisions)
    func refusesLargeWeights(_ precision: ProductPrecision) throws {
        var graph = try Graph.build("large") { net in
            let image = net.input("image", .float32, [.batch, 32, 4, 4])
            net.output("out", image.convolution(32, kernel: 3).named("conv").flatten().linear(3))
        }.seeded(3)
        let weight = try #require(graph.value(named: "conv.weight"))
        var elements = try #require(graph.initializers[weight]?.elements(as: Float.self))
        elements[5] = 65520
        graph.initializers[weight] = try Tensor(elements, shape: [32, 32, 3, 3])
        let error = #expect(throws: (any Error).self) {
            try Planner(backends: [CPUBackend(precision: precision)], threadCount: 1)
                .plan(graph, inputShapes: [[1, 32, 4, 4]], packedWeights: PackedWeights())
        }
        #expect(error.map { "\($0)".contains("a weight is beyond the range of float16") } == true, "\(error as Any)")
    }
}
