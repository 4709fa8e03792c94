import ConformanceCases
import CPUBackend
import Graphs
import Planning
import Tensors
import Testing
import TestSupport

@Suite("Winograd convolutions in plans", .ownThreads)
struct WinogradTests {
    /// One kind of Winograd convolution. Operators that it declines run on the reference.
    private struct OneKind: Backend {
        let name = "cpu"
        let deviceDescription = "one lowering"
        let lowerings: [any Lowering]

        init(_ name: String, _ instructionSet: InstructionSet) {
            lowerings = CPUBackend(instructionSet: instructionSet).lowerings.filter { $0.name == name }
        }
    }

    private static let integers = "integer-winograd-4x4"
    private static let kinds = CPUBackend().lowerings.map(\.name).filter { $0.contains("winograd") && $0 != integers }

    @Test("Every kind gives what the operator's own evaluation gives, wherever it applies", arguments: kinds)
    func agrees(_ kind: String) throws {
        for instructionSet in InstructionSet.available {
            let chain = BackendChain([OneKind(kind, instructionSet), ReferenceBackend()])
            var used = 0
            for conformanceCase in ConformanceCases.convolutions {
                let inputs = try conformanceCase.givenInputs()
                let plan = try chain.plan(try conformanceCase.makeGraph(), for: inputs)
                guard plan.layers.contains(where: { $0.lowering == kind }) else { continue }
                used += 1
                let found = try plan.outputs(inputs)[0].elements(as: Double.self)
                let expected = try conformanceCase.expectedOutputs()[0].elements(as: Double.self)
                let error = zip(found, expected).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
                let norm = expected.reduce(0) { $0 + $1 * $1 }.squareRoot()
                #expect(error <= 1e-5 * norm, "\(conformanceCase.name), \(instructionSet): \(error / norm)")
            }
            #expect(used > 0, "\(kind) takes no case")
        }
    }

    /// Convolutions that some kind takes: input channels, kernel and stride.
    private static let convolutions = [
        (24, [3, 3], 1), (24, [5, 5], 1), (24, [4, 4], 1), (24, [1, 3], 1), (24, [3, 1], 1), (24, [1, 7], 1),
        (24, [7, 1], 1), (24, [3, 3], 2), (3, [7, 7], 2), (3, [5, 6], 2),
    ]

    @Test("An image has the same bits in every batch and on every number of threads", arguments: kinds)
    func isInvariant(_ kind: String) throws {
        var used = 0
        // The first is cut by output channels, the second by tiles.
        for (height, width) in [(11, 13), (40, 62)] {
            for (channels, kernel, stride) in Self.convolutions {
                var generator = SplitMix64(seed: 5)
                func random(_ shape: [Int]) throws -> Tensor {
                    try Tensor(
                        (0..<shape.reduce(1, *)).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
                }
                let weights = try random([40, channels] + kernel)
                let pads = kernel.map { $0 / 2 }
                let images = try (0..<9).map { _ in try random([channels, height, width]).elements(as: Float.self) }
                var expected: [[UInt32]] = []
                for (threads, count) in [(1, 1), (2, 1), (1, 9), (2, 9), (3, 5)] {
                    var graph = Graph(name: "convolution")
                    let x = graph.addValue("x", elementType: .float32, shape: Shape([count, channels, height, width]))
                    let y = graph.addValue("y")
                    graph.inputs = [x]
                    graph.outputs = [y]
                    let operation = Conv(
                        kernel: kernel, strides: [stride, stride], pads: pads + pads, activation: .relu)
                    graph.nodes = [
                        Graph.Node(
                            name: "convolution", operation: operation,
                            inputs: [x, graph.addInitializer("w", weights)], outputs: [y])
                    ]
                    let chain = BackendChain([OneKind(kind, .chosen), ReferenceBackend()])
                    func outputs(_ chosen: [Int]) throws -> [[UInt32]] {
                        let input = try Tensor(chosen.flatMap { images[$0] }, shape: [count, channels, height, width])
                        let plan = try chain.plan(graph, for: [input], threads: threads)
                        guard plan.layers.contains(where: { $0.lowering == kind }) else { return [] }
                        let bits = try plan.outputs([input])[0].elements(as: Float.self).map(\.bitPattern)
                        let size = bits.count / count
                        return chosen.indices.map { Array(bits[$0 * size..<($0 + 1) * size]) }
                    }
                    if count == 1 {
                        let alone = try images.indices.flatMap { try outputs([$0]) }
                        if expected.isEmpty { expected = alone }
                        used += alone.count
                        #expect(alone == expected, "\(kernel), stride \(stride), \(threads) threads")
                    } else if !expected.isEmpty {
                        let chosen = (0..<count).map { ($0 * 4 + 2) % images.count }
                        #expect(
                            try outputs(chosen) == chosen.map { expected[$0] },
                            "\(kernel), stride \(stride), \(height)×\(width), \(threads) threads, \(count) images")
                    }
                }
            }
        }
        #expect(used > 0, "\(kind) takes no kernel")
    }

    /// A convolution of 8-bit integers with 3×3 taps.
    private struct IntegerConvolution {
        var images = 1
        let channels: Int
        let columns: Int
        let size: [Int]
        var pads = [1, 1, 1, 1]
        var inputType = ElementType.uint8
        var inputZeroPoint: Int32 = 0
        var weightZeroPoint: Int32 = 0
        var weightRange = -128...127

        func graph(_ generator: inout SplitMix64) throws -> Graph {
            var graph = Graph(name: "convolution")
            let x = graph.addValue("x", elementType: inputType, shape: Shape([images, channels] + size))
            let y = graph.addValue("y")
            graph.inputs = [x]
            graph.outputs = [y]
            let weights = (0..<columns * channels * 9).map { _ in Int8(Int.random(in: weightRange, using: &generator)) }
            let bias = (0..<columns).map { _ in Int32.random(in: -9000...9000, using: &generator) }
            let operation = IntegerConv(
                Conv(pads: pads), inputZeroPoint: inputZeroPoint, weightZeroPoint: weightZeroPoint,
                requantization: Requantization(
                    .float([1 / Float(40 * channels)]), zeroPoint: 3, range: -128...127, elementType: .int8))
            graph.nodes = [
                Graph.Node(
                    name: "convolution", operation: operation,
                    inputs: [
                        x, graph.addInitializer("w", try Tensor(weights, shape: [columns, channels, 3, 3])),
                        graph.addInitializer("b", try Tensor(bias, shape: [columns])),
                    ], outputs: [y])
            ]
            return graph
        }

        func input(_ generator: inout SplitMix64) throws -> Tensor {
            let count = images * channels * size.reduce(1, *)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return inputType == .uint8
                ? try Tensor(bytes, shape: [images, channels] + size)
                : try Tensor(bytes.map { Int8(bitPattern: $0) }, shape: [images, channels] + size)
        }
    }

    @Test("Integers are exact, on every number of threads")
    func integersAreExact() throws {
        let convolutions = [
            IntegerConvolution(channels: 1, columns: 1, size: [1, 1]),
            IntegerConvolution(
                images: 3, channels: 5, columns: 7, size: [3, 9], inputType: .int8, inputZeroPoint: -128),
            IntegerConvolution(
                channels: 64, columns: 64, size: [28, 27], inputType: .int8, inputZeroPoint: 127,
                weightRange: -127...127),
            IntegerConvolution(
                images: 2, channels: 33, columns: 70, size: [9, 14], pads: [0, 2, 1, 0], inputZeroPoint: 255),
            IntegerConvolution(channels: 56, columns: 24, size: [8, 8], inputZeroPoint: 9, weightZeroPoint: -128),
            IntegerConvolution(images: 5, channels: 128, columns: 130, size: [7, 7], inputZeroPoint: 128),
        ]
        for instructionSet in InstructionSet.available {
            let chain = BackendChain([OneKind(Self.integers, instructionSet), ReferenceBackend()])
            for (index, convolution) in convolutions.enumerated() {
                var generator = SplitMix64(seed: UInt64(index))
                let (graph, input) = (try convolution.graph(&generator), try convolution.input(&generator))
                let expected = try BackendChain([ReferenceBackend()]).plan(graph, for: [input]).outputs([input])[0]
                for threads in 1...3 {
                    let plan = try chain.plan(graph, for: [input], threads: threads)
                    #expect(plan.layers.contains { $0.lowering == Self.integers }, "case \(index), \(instructionSet)")
                    let found = try plan.outputs([input])[0].elements(as: Int32.self)
                    #expect(
                        found == expected.elements(as: Int32.self),
                        "case \(index), \(instructionSet), \(threads) threads")
                }
            }
        }
    }

    @Test("Integers whose sums may exceed 25 bits are left to other kernels")
    func integersMayExceed() throws {
        let largest = IntegerConvolution(channels: 120, columns: 2, size: [5, 5], weightRange: 127...127)
        // Weights of both signs, whose absolute values would have a larger sum.
        let mixed = IntegerConvolution(channels: 320, columns: 2, size: [5, 5], weightRange: -127...127)
        let cases = [(largest, Int32(0), false), (largest, 128, true), (mixed, 0, true)]
        for (extremes, inputZeroPoint, isTaken) in cases {
            var convolution = extremes
            convolution.inputZeroPoint = inputZeroPoint
            var generator = SplitMix64(seed: 1)
            let (graph, input) = (try convolution.graph(&generator), try convolution.input(&generator))
            let plan = try BackendChain([OneKind(Self.integers, .chosen), ReferenceBackend()]).plan(graph, for: [input])
            #expect(plan.layers.contains { $0.lowering == Self.integers } == isTaken, "\(inputZeroPoint)")
            #expect(
                try plan.outputs([input])[0].elements(as: Int32.self)
                    == BackendChain([ReferenceBackend()]).plan(graph, for: [input]).outputs([input])[0].elements(
                        as: Int32.self))
        }
    }
}
