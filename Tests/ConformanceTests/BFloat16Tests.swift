import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

/// The processor with products of bfloat16, where it has them.
private let rounding: CPUBackend? = {
    guard ProductPrecision.bfloat16.isSupported(by: .chosen) else {
        print("Nothing is tested in bf16: this processor, or the kernels that were asked for, have no such products")
        return nil
    }
    return CPUBackend(precision: .bfloat16)
}()

@Suite("Products of bfloat16 on the processor", .ownThreads)
struct BFloat16Tests {
    private static func rounded(_ tensor: Tensor) throws -> Tensor {
        let values = tensor.elements(as: Float.self).map { value -> Float in
            value.isNaN ? value : BFloat16(value).floatValue
        }
        return try Tensor(values, shape: tensor.shape)
    }

    /// The number of operands that a layer rounds; nil for layers that are never computed in bfloat16.
    private static func roundedOperands(of operation: any Operator) -> Int? {
        if operation is ScaledDotProductAttention { return 3 }
        return operation is Conv || operation is MatMul || operation is Gemm ? 2 : nil
    }

    @Test(
        "Every convolution, product and attention gives what its own evaluation gives of rounded operands",
        .enabled(if: rounding != nil))
    func agrees() throws {
        let backend = RoundingLowerings(base: try #require(rounding))
        var used: [String: Int] = [:]
        for conformanceCase in ConformanceCases.all {
            let operation = conformanceCase.operation
            guard let roundedOperands = Self.roundedOperands(of: operation) else { continue }
            let graph = try conformanceCase.makeGraph()
            let given = try conformanceCase.givenInputs()
            for threads in [1, 3] {
                let plan = try Planner(backends: [backend, ReferenceBackend()], threadCount: threads)
                    .plan(graph, inputShapes: given.map(\.shape), packedWeights: PackedWeights())
                guard let layer = plan.layers.last(where: { $0.backend == "cpu" }) else { continue }
                used[layer.lowering, default: 0] += 1
                var inputs = try conformanceCase.makeInputs()
                for position in 0..<roundedOperands { inputs[position] = try inputs[position].map(Self.rounded) }
                let types = try operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
                let expected = try operation.evaluate(inputs, outputTypes: types)[0]
                let output = try plan.outputs(given)[0]
                // The weights of attention are rounded between its products.
                let tolerance =
                    operation is ScaledDotProductAttention
                    ? ConformanceCase.Tolerance(relative: 0x1p-8, absolute: 0x1p-8) : conformanceCase.tolerance
                let pairs = zip(output.elements(as: Double.self), expected.elements(as: Double.self))
                let wrong = pairs.enumerated().first { !tolerance.accepts($1.0, expected: $1.1) }
                #expect(
                    wrong == nil,
                    "\(conformanceCase.name), seed \(conformanceCase.seed), \(layer.lowering): \(wrong as Any)")
            }
        }
        #expect(used["implicit-gemm-bf16", default: 0] > 20, "\(used)")
        #expect(used["packed-gemm-bf16", default: 0] > 5, "\(used)")
        #expect(used["attention-bf16", default: 0] > 3, "\(used)")
    }

    private static func roundedToFloat16(_ tensor: Tensor) throws -> Tensor {
        let values = tensor.elements(as: Float.self)
        return try Tensor(values.map { Float(Float16($0)) }, shape: tensor.shape)
    }

    @Test(
        "With weights in 16 bits, layers give what their own evaluation gives of rounded weights",
        arguments: [ProductPrecision.bfloat16Weights, .float16Weights].filter { $0.isSupported(by: .chosen) })
    func roundsWeights(_ precision: ProductPrecision) throws {
        let backend = RoundingLowerings(base: CPUBackend(precision: precision))
        var used: [String: Int] = [:]
        for conformanceCase in ConformanceCases.all {
            let operation = conformanceCase.operation
            guard operation is Conv || operation is MatMul || operation is Gemm else { continue }
            let given = try conformanceCase.givenInputs()
            let plan = try Planner(backends: [backend, ReferenceBackend()], threadCount: 2)
                .plan(try conformanceCase.makeGraph(), inputShapes: given.map(\.shape), packedWeights: PackedWeights())
            guard let layer = plan.layers.last(where: { $0.backend == "cpu" }) else { continue }
            used[layer.lowering, default: 0] += 1
            var inputs = try conformanceCase.makeInputs()
            inputs[1] = try inputs[1].map(precision == .float16Weights ? Self.roundedToFloat16 : Self.rounded)
            let types = try operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
            let expected = try operation.evaluate(inputs, outputTypes: types)[0]
            let pairs = zip(try plan.outputs(given)[0].elements(as: Double.self), expected.elements(as: Double.self))
            let tolerance = conformanceCase.tolerance
            let wrong = pairs.enumerated().first { !tolerance.accepts($1.0, expected: $1.1) }
            #expect(
                wrong == nil,
                "\(conformanceCase.name), seed \(conformanceCase.seed), \(layer.lowering): \(wrong as Any)")
        }
        #expect(used["implicit-gemm-\(precision.rawValue)", default: 0] > 20, "\(used)")
        #expect(used["packed-gemm-\(precision.rawValue)", default: 0] > 5, "\(used)")
    }

    @Test("The last product of a network is computed in float32", .enabled(if: rounding != nil))
    func leavesTheLastLayer() throws {
        let graph = try Rewrites.declutter(SmallZoo.build("resnet18").seeded(5)).graph
        let shape = try #require(graph.inputs.first.flatMap { graph[$0].shape })
        let plan = try Planner(backends: [try #require(rounding), ReferenceBackend()], threadCount: 1)
            .plan(
                graph, inputShapes: [[1] + shape.dimensions.dropFirst().compactMap(\.value)],
                packedWeights: PackedWeights())
        let products = plan.layers.filter { $0.lowering.contains("gemm") }
        #expect(products.last?.lowering == "packed-gemm")
        #expect(products.dropLast().contains { $0.lowering == "implicit-gemm-bf16" })
    }

    @Test(
        "Strips give the bits that whole layers give", .enabled(if: rounding != nil), arguments: 0..<UInt64(40))
    func hasTheSameBitsInStrips(seed: UInt64) throws {
        let chain = try RandomChain(seed: seed)
        func bits(images: Int, threads: Int, cache: Int) throws -> [[UInt32]] {
            let backend = CPUBackend(precision: .bfloat16, workerCacheByteCount: cache)
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
}
