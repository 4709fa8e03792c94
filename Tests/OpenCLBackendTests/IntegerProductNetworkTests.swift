import Apus
import ConformanceCases
import CPUBackend
import Graphs
import OpenCLBackend
import Planning
import Quantizing
import Tensors
import Testing
import TestSupport

/// Networks whose products are quantized while they run, or have weights of 4 bits.
@Suite("Networks of narrow products on a device", .ownThreads, .enabled(if: TestDevice.isPresent), .serialized)
struct IntegerProductNetworkTests {
    /// Appends nodes to a graph.
    private struct Chain {
        var graph = Graph(name: "chain")
        var generator = SplitMix64(seed: 21)

        mutating func input(_ elementType: ElementType, _ shape: [Int]) -> Graph.ValueID {
            let id = graph.addValue("input\(graph.inputs.count)", elementType: elementType, shape: Shape(shape))
            graph.inputs.append(id)
            return id
        }

        mutating func constant(
            _ elementType: ElementType, _ shape: [Int], _ range: ClosedRange<Double>
        ) throws -> Graph.ValueID {
            let values = (0..<shape.reduce(1, *)).map { _ in Double.random(in: range, using: &generator) }
            let rounded = elementType == .float32 ? values : values.map { $0.rounded() }
            return graph.addInitializer(
                "constant\(graph.initializers.count)", try Tensor(rounded, as: elementType, shape: shape))
        }

        mutating func append(
            _ operation: any Operator, _ inputs: [Graph.ValueID?], count: Int = 1
        ) -> [Graph.ValueID] {
            let outputs = (0..<count).map { graph.addValue("value\(graph.nodes.count).\($0)") }
            graph.nodes.append(
                Graph.Node(
                    name: "node\(graph.nodes.count)", operation: operation, inputs: inputs, outputs: outputs))
            return outputs
        }
    }

    private static let host: [any Backend] = [CPUBackend(), ReferenceBackend()]

    /// Compares all bits with those of the processor, and expects that nothing runs there.
    @discardableResult private func expectEqualBits(_ chain: Chain, _ inputs: [Tensor]) throws -> Plan {
        try chain.graph.validate()
        let device = try #require(TestDevice.shared)
        let (plan, outputs) = try QuantizedZoo.run(chain.graph, on: [OpenCLBackend(device)] + Self.host, inputs)
        let expected = try QuantizedZoo.run(chain.graph, on: Self.host, inputs).outputs
        expectNothingIsLeft(plan)
        for (output, expected) in zip(outputs, expected) {
            #expect(output.shape == expected.shape)
            let (found, wanted) = (output.elements(as: Double.self), expected.elements(as: Double.self))
            #expect(Set(wanted).count > 15)
            let wrong = zip(found, wanted).enumerated().first { $1.0 != $1.1 }
            #expect(wrong == nil, "\(String(describing: wrong))")
        }
        return plan
    }

    private func expectNothingIsLeft(_ plan: Plan) {
        let left = plan.layers.filter { $0.space == .host && $0.lowering != "view" && $0.transferByteCount == 0 }
        #expect(left.isEmpty, "\(left.map { "\($0.name), \($0.operatorName), on \($0.backend)" })")
    }

    private func numbers(_ shape: [Int], seed: UInt64) throws -> Tensor {
        try DeviceExecutionTests.input(shape, seed: seed)
    }

    private func bytes(_ elementType: ElementType, _ shape: [Int], seed: UInt64) throws -> Tensor {
        var generator = SplitMix64(seed: seed)
        let range = elementType == .int8 ? -128...127 : 0...255
        return try Tensor(
            (0..<shape.reduce(1, *)).map { _ in Double(Int.random(in: range, using: &generator)) }, as: elementType,
            shape: shape)
    }

    @Test("Products of rows that are quantized before each have the processor's bits, layer after layer")
    func quantizedRows() throws {
        let quantizations: [(InputQuantization, ElementType, Int32)] = [
            (.byRow, .int8, 0), (.whole, .uint8, 131),
            (.fixed(scale: 0.013, zeroPoint: -9, elementType: .int8), .int8, 3),
            (.byRow, .uint8, 0), (.fixed(scale: 0.021, zeroPoint: 0, elementType: .uint8), .int8, 0),
        ]
        var chain = Chain()
        var value = chain.input(.float32, [2, 9, 70])
        var depth = 70
        for (index, (quantization, type, point)) in quantizations.enumerated() {
            let columns = [75, 33, 64, 130, 10][index]
            let weights = try chain.constant(type, [depth, columns], type == .int8 ? -127...127 : 0...255)
            let scales = try chain.constant(.float32, [columns], 0.0005...0.001)
            // Without a bias, a number is rounded once in every order of the arithmetic.
            value =
                chain.append(
                    QuantizedMatMul(quantization, weightZeroPoint: point, activation: index == 4 ? nil : .relu),
                    [value, weights, scales])[0]
            chain.graph.outputs.append(value)
            depth = columns
        }
        try expectEqualBits(chain, [numbers([2, 9, 70], seed: 3)])
    }

    @Test("What onnxruntime quantizes while it runs has the processor's bits")
    func dynamicQuantization() throws {
        var chain = Chain()
        let image = chain.input(.float32, [2, 6, 9, 8])
        let pixels = chain.append(DynamicQuantizeLinear(), [image], count: 3)
        let sums = chain.append(
            ConvInteger(Conv(strides: [2, 1], pads: [1, 1, 1, 1])),
            [pixels[0], try chain.constant(.int8, [16, 6, 3, 3], -127...127), pixels[2]])
        let scaled = chain.append(Mul(), [chain.append(Cast(to: .float32), sums)[0], pixels[1]])
        let rows = chain.append(Relu(), scaled)
        let features = chain.append(DynamicQuantizeLinear(), rows, count: 3)
        let products = chain.append(
            MatMulInteger(),
            [
                features[0], try chain.constant(.uint8, [8, 21], 0...255), features[2],
                try chain.constant(.uint8, [], 99...99),
            ])
        let results = chain.append(Mul(), [chain.append(Cast(to: .float32), products)[0], features[1]])
        chain.graph.outputs = [sums[0], products[0], results[0]]
        try expectEqualBits(chain, [numbers([2, 6, 9, 8], seed: 5)])
    }

    @Test("Attention of 8-bit integers, of which all factors are computed, has the processor's integers")
    func attentionOfIntegers() throws {
        var chain = Chain()
        let query = chain.input(.uint8, [2, 3, 17, 20])
        let key = chain.input(.int8, [2, 3, 20, 25])
        let value = chain.input(.int8, [2, 3, 25, 10])
        func number(_ number: Double, _ type: ElementType = .float32) throws -> Graph.ValueID {
            try chain.constant(type, [], number...number)
        }
        let scores = chain.append(
            QLinearMatMul(),
            [
                query, try number(0.02), try number(120, .uint8), key, try number(0.03), try number(-4, .int8),
                try number(0.2), try number(5, .int8),
            ])
        let shares = chain.append(IntegerSoftmax(factor: 0.05, elementType: .int8), scores)
        let result = chain.append(
            IntegerMatMul(
                aZeroPoint: -128, bZeroPoint: 7,
                requantization: Requantization(
                    .float([0.01]), zeroPoint: 100, range: 0...255, elementType: .uint8)),
            [shares[0], value])
        chain.graph.outputs = [scores[0], shares[0], result[0]]
        try expectEqualBits(
            chain,
            [
                bytes(.uint8, [2, 3, 17, 20], seed: 6), bytes(.int8, [2, 3, 20, 25], seed: 7),
                bytes(.int8, [2, 3, 25, 10], seed: 8),
            ])
    }

    @Test("Functions of a convolution's bytes run in its kernel, with the processor's bits")
    func stages() throws {
        var chain = Chain()
        var value = chain.input(.uint8, [2, 20, 7, 6])
        var inputType = ElementType.uint8
        func scale(_ number: Double) throws -> Graph.ValueID { try chain.constant(.float32, [], number...number) }
        func point(_ number: Double, _ type: ElementType) throws -> Graph.ValueID {
            try chain.constant(type, [], number...number)
        }
        // Ordinary and depthwise convolutions, whole vectors of channels and parts of them, bytes of both types.
        let layers: [(group: Int, weights: [Int], byte: ElementType, next: ElementType?)] = [
            (1, [12, 20, 3, 3], .int8, .uint8), (12, [12, 1, 3, 3], .uint8, .int8), (1, [7, 12, 1, 1], .uint8, .int8),
            (7, [7, 1, 3, 3], .int8, .uint8), (1, [9, 7, 1, 1], .int8, nil),
        ]
        for (index, layer) in layers.enumerated() {
            let isSigned = layer.byte == .int8
            let convolution = IntegerConv(
                Conv(group: layer.group, pads: layer.weights[2] == 3 ? [1, 1, 1, 1] : [0, 0, 0, 0]),
                inputZeroPoint: inputType == .int8 ? -3 : 130, weightZeroPoint: 0,
                requantization: Requantization(
                    .float([layer.group == 1 ? 0.0017 : 0.006]), zeroPoint: isSigned ? -5 : 120,
                    range: isSigned ? -128...127 : 0...255, elementType: layer.byte))
            value =
                chain.append(
                    convolution, [value, try chain.constant(.int8, layer.weights, -127...127)])[0]
            value =
                chain.append(
                    DequantizeLinear(), [value, try scale(0.043), try point(isSigned ? -5 : 120, layer.byte)])[0]
            value = chain.append(index % 2 == 0 ? LeakyRelu(alpha: 0.3) : Neg(), [value])[0]
            guard let next = layer.next else { continue }
            value =
                chain.append(
                    QuantizeLinear(),
                    [value, try scale(0.031), try point(next == .int8 ? -3 : 130, next)])[0]
            inputType = next
        }
        chain.graph.outputs = [value]
        let plan = try expectEqualBits(chain, [bytes(.uint8, [2, 20, 7, 6], seed: 11)])
        let steps = plan.devicePart?.steps.compactMap { $0 as? KernelStep } ?? []
        let kernels = steps.flatMap(\.calls).map(\.kernel)
        #expect(kernels.count { $0.hasPrefix("integer_") } == layers.count)
        #expect(!kernels.contains("elementwise"), "\(kernels)")
    }

    @Test("A transformer with narrow weights runs whole on the device", arguments: NarrowWeights.allCases)
    func transformer(_ weights: NarrowWeights) throws {
        let graph = try weights.graph("vit_ti_16", extent: 64)
        let image = try QuantizedZoo.image(extent: 64, batch: 2)
        let device = try #require(TestDevice.shared)
        let (plan, outputs) = try QuantizedZoo.run(graph, on: [OpenCLBackend(device)] + Self.host, [image])
        let expected = try QuantizedZoo.run(graph, on: Self.host, [image]).outputs[0]
        expectNothingIsLeft(plan)
        let products = graph.nodes.count { $0.operation is QuantizedMatMul || $0.operation is MatMulNBits }
        // With known ranges, the last product gives integers.
        #expect(products == (weights == .fixedRanges ? 48 : 49))
        let scores = expected.elements(as: Float.self)
        let spread = (scores.max() ?? 0) - (scores.min() ?? 0)
        #expect(spread > 0)
        // A number beside the half between two integers may be rounded to either, which later layers spread.
        let difference = TensorComparison(
            outputs[0], expected, relative: 0, absolute: Double(spread) * (weights == .fourBits ? 1e-4 : 0.02)
        ).difference
        #expect(difference == nil, "\(difference ?? "")")
    }
}

/// How the weights of a network's products are narrowed.
enum NarrowWeights: String, CaseIterable {
    case eightBits = "8 bits by row"
    case fourBits = "4 bits"
    /// With ranges that are known before.
    case fixedRanges = "8 bits"

    /// A network of the zoo, decluttered.
    func graph(_ name: String, extent: Int? = nil) throws -> Graph {
        if self == .fixedRanges { return try QuantizedZoo.graph(name, extent: extent, measuresRanges: extent != nil) }
        let network = try #require(Networks.find(name))
        let model = try Model(network.build(extent: extent ?? network.extent).seeded(5))
        let quantized =
            self == .eightBits ? try model.quantizedByRow().model : try model.withNarrowWeights(groupSize: 32).model
        return try Rewrites.declutter(quantized.graph).graph
    }
}
