import Apus
import Foundation
import Graphs
import Images
import Measuring
import Quantizing
import Tensors
import TestSupport
import Testing

@Suite("Quantizing networks")
struct QuantizingTests {
    private static let photos = TestedNetworks.fixtures.appending(path: "photos").path

    @Test("Rounding a filter moves its mean result by less than the nearest integers do")
    func filter() {
        var generator = SplitMix64(seed: 7)
        var (moved, nearest) = (0.0, 0.0)
        for depth in [1, 9, 64, 577] {
            let weights = (0..<depth).map { _ in Double.random(in: -127...127, using: &generator) }
            let means = (0..<depth).map { _ in Double.random(in: 0...3, using: &generator) }
            func error(_ integers: [Double]) -> Double {
                abs(zip(zip(integers, weights), means).reduce(0) { $0 + ($1.0.0 - $1.0.1) * $1.1 })
            }
            let integers = FilterRounding.round(weights, means: means).map { Double($0) }
            #expect(zip(integers, weights).allSatisfy { abs($0 - $1) < 1 })
            #expect(error(integers) <= error(weights.map { $0.rounded(.toNearestOrEven) }))
            moved += error(integers)
            nearest += error(weights.map { $0.rounded(.toNearestOrEven) })
        }
        #expect(moved < nearest / 4)
        #expect(FilterRounding.round([127, -127, 0.4], means: [1, 1, 0]) == [127, -127, 0])
    }

    @Test("Channels that are almost their bias keep it, whatever their weights and inputs are", arguments: 0..<6)
    func biases(_ seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        func numbers(_ count: Int, _ size: Float) -> [Float] {
            (0..<count).map { _ in Float.random(in: -size...size, using: &generator) }
        }
        let sizes: [Float] = [1, 0, 1e-3, 1e-6, 1e-8, 1e-12, 1e-20, 1e-37, .leastNonzeroMagnitude]
        let reach: Float = [1, 1e-3, 255, 1e-10, 1e10, 1e-25][Int(seed)]
        let (channels, depth) = (sizes.count, 27)
        var graph = Graph(name: "channels")
        let x = graph.addValue("x", elementType: .float32)
        graph.values[x.index].shape = [1, 3, 6, 6]
        graph.inputs = [x]
        let weights = graph.addInitializer(
            "w", try Tensor(sizes.flatMap { numbers(depth, $0 / max(reach, 1)) }, shape: [channels, 3, 3, 3]))
        let bias = graph.addInitializer("b", try Tensor(numbers(channels, 10), shape: [channels]))
        let y = graph.addValue("y", elementType: .float32)
        let z = graph.addValue("z", elementType: .float32)
        graph.nodes = [
            Graph.Node(name: "conv", operation: Conv(), inputs: [x, weights, bias], outputs: [y]),
            Graph.Node(name: "last", operation: Identity(), inputs: [y], outputs: [z]),
        ]
        graph.outputs = [z]
        let picture = try Tensor(numbers(3 * 36, reach), shape: [1, 3, 6, 6])
        let expected = try await Session(Model(graph)).predict(["x": picture])["z"]?.elements(as: Float.self) ?? []
        let limits: [Graph.ValueID: (low: Float, high: Float)] = [
            x: (-reach, reach), y: (min(0, expected.min() ?? 0), max(0, expected.max() ?? 0)),
        ]
        let quantized = try graph.quantized(QuantizationPlan(graph, floatLayerCount: 0), limits: limits, means: [:])
        let found = try await Session(Model(quantized)).predict(["x": picture])["z"]?.elements(as: Float.self) ?? []
        let step = ((limits[y]?.high ?? 0) - (limits[y]?.low ?? 0)) / 255
        #expect(found.count == expected.count && step > 0)
        for (index, pair) in zip(expected, found).enumerated() {
            // The first channel has weights of usual size, whose own rounding adds to that of the result.
            let allowed = index < expected.count / channels ? 27 * max(1, reach) / 60 : 1.01 * step
            #expect(abs(pair.0 - pair.1) <= allowed, "seed \(seed), channel \(index * channels / expected.count)")
        }
    }

    @Test("What is expected of pictures is what their margins say")
    func margins() {
        let scores: [[Float]] = [[5, 1, 0], [2, 3, 0], [0, 0.5, 4]]
        let same = ScoreMargins(scores, rounded: scores)
        #expect(same.agreementCount == 3 && same.expectedAgreement == 1)
        // Margins 4, 1 and 3.5 move by −1, −2 and 0: σ = √(5 / 3).
        let moved = ScoreMargins(scores, rounded: [[4, 1, 0], [3, 2, 0], [0, 0.5, 4]])
        #expect(moved.agreementCount == 2)
        #expect(abs(moved.expectedAgreement - (0.99903 + 0.78071 + 0.99666) / 3) < 1e-4)
        let probabilities: [[Float]] = [[0.75, 0.25], [0.4, 0.6]]
        #expect(ScoreMargins(probabilities, rounded: [[0.75, 0.25], [0.6, 0.4]]).expectedAgreement < 0.9)
        #expect(ScoreMargins([[1, 0]], rounded: [[.nan, 0]]).expectedAgreement == 0)
        // What is no number without rounding says nothing about rounding.
        let unfinished = ScoreMargins(
            scores + [[.nan, 1, 2], [.infinity, 0, 0]], rounded: scores + [[1, 2, 3], [1, 2, 3]])
        #expect(unfinished.agreementCount == 3 && unfinished.expectedAgreement == 1)
    }

    @Test("As many layers stay in float32 as are asked for, and a network without any to round is refused")
    func floatLayers() async throws {
        var options = Model.QuantizationOptions()
        options.floatLayerCount = 4
        options.imageCount = 1
        let (quantized, report) = try await TestedNetworks.squeezeNet().quantized(
            calibratingWith: .imageFolder(Self.photos), options: options)
        #expect(report.floatLayerCount == 4)
        let graph = quantized.source
        let dequantized = Set(
            graph.nodes.filter { $0.operation is DequantizeLinear }.compactMap { $0.outputs[0] })
        let products = graph.nodes.filter { $0.operation is Conv }
        let rounded = products.indices.filter { products[$0].inputs[1].map(dequantized.contains) ?? false }
        #expect(rounded == Array(4..<products.count - 1))

        options.floatLayerCount = 1000
        await #expect(throws: ApusError.self) {
            try await TestedNetworks.squeezeNet().quantized(
                calibratingWith: .imageFolder(Self.photos), options: options)
        }
    }

    @Test("What a layer costs is the change of the output when all other layers stay in float32")
    func effects() async throws {
        let model = try TestedNetworks.squeezeNet()
        var options = Model.QuantizationOptions()
        (options.imageCount, options.floatLayerCount, options.measuresEffects) = (2, 0, true)
        let (_, report) = try await model.quantized(calibratingWith: .imageFolder(Self.photos), options: options)
        let effects = try #require(report.effects)
        #expect(effects.count == 26 && effects.allSatisfy { $0.isRounded && $0.operator == "Conv" })
        #expect(effects.map(\.outputError) == effects.map(\.outputError).sorted(by: >))
        #expect(effects.first { $0.name == "conv1" }?.weightCount == 64 * 3 * 3 * 3)

        let worst = effects[0]
        options.floatLayers = Set(effects.dropFirst().map(\.name))
        let (alone, second) = try await model.quantized(calibratingWith: .imageFolder(Self.photos), options: options)
        #expect(second.effects?.filter(\.isRounded).map(\.name) == [worst.name])
        let sessions = (try await Session(model), try await Session(alone))
        var (difference, size) = (0.0, 0.0)
        for name in ["astronaut.png", "chelsea.png"] {
            let preprocessing = try #require(model.preprocessing)
            let data = try Data(contentsOf: URL(filePath: TestedNetworks.photo(name)))
            let picture = try preprocessing.tensor(from: Image(decoding: data))
            let expected = try await sessions.0.predict(["data": picture])
            let found = try await sessions.1.predict(["data": picture])
            for (name, tensor) in expected {
                let others: Tensor = try #require(found[name])
                for (x, y) in zip(others.elements(as: Double.self), tensor.elements(as: Double.self)) {
                    difference += (x - y) * (x - y)
                    size += y * y
                }
            }
        }
        #expect(abs((difference / size).squareRoot() - worst.outputError) < 1e-6 * worst.outputError)

        let html = QuantizationPage(report, of: model).html
        #expect(html.contains("\(worst.name): alone it moves the output by"))
        #expect(effects.allSatisfy { html.contains("<td>\($0.name)</td><td>Conv</td>") })
        options.floatLayers = ["conv99"]
        let error = await #expect(throws: ApusError.self) {
            try await model.quantized(calibratingWith: .imageFolder(Self.photos), options: options)
        }
        #expect(error.map { "\($0)" } == "no convolution or product that can be rounded has the name conv99")
    }

    @Test("A network of float16 is rounded as the same network of float32")
    func float16() async throws {
        let wide = try Graph.build("small") { net in
            let image = net.input("image", .float32, [.batch, 3, 16, 16])
            net.output("scores", image.convolution(8, kernel: 3).relu().globalAveragePool().flatten().linear(5))
        }.seeded(7)
        var (narrow, rounded) = (wide, wide)
        for (id, tensor) in wide.initializers {
            let half = try tensor.converted(to: .float16)
            (narrow.initializers[id], rounded.initializers[id]) = (half, try half.converted(to: .float32))
        }
        for index in narrow.values.indices where narrow.values[index].elementType == .float32 {
            narrow.values[index].elementType = .float16
        }
        #expect(narrow.values[narrow.inputs[0].index].elementType == .float16)
        let dataset = FileDataset.imageFolder(Self.photos)
        let (expected, _) = try await Model(rounded).quantized(calibratingWith: dataset)
        let (found, report) = try await Model(narrow).quantized(calibratingWith: dataset)
        #expect(report.imageCount > 0 && found.source.nodes.count == expected.source.nodes.count)
        let picture = try Tensor.random([1, 3, 16, 16], seed: 5)
        let (first, second) = (
            try await Session(expected).predict(["image": picture])["scores"],
            try await Session(found).predict(["image": picture])["scores"]
        )
        #expect(first?.bits == second?.bits && first?.elementCount == 5)
        let (byRow, _) = try Model(narrow).quantizedByRow()
        #expect(byRow.source.values.allSatisfy { $0.elementType != .float16 })
    }

    @Test("SqueezeNet keeps what it says about the photos, and parts of a concatenation have its scale")
    func squeezeNet() async throws {
        let (quantized, report) = try await TestedNetworks.squeezeNet().quantized(
            calibratingWith: .imageFolder(Self.photos))
        #expect(report.imageCount == 4)
        #expect(report.agreementCount == 4)
        #expect(report.layers.allSatisfy { $0.relativeError < 0.5 })

        let graph = quantized.source
        var scales: [Graph.ValueID: Float] = [:]
        for node in graph.nodes where node.operation is DequantizeLinear {
            guard let scale = node.inputs[1].flatMap({ graph.initializers[$0] }), scale.shape.isEmpty else { continue }
            scales[try #require(node.outputs[0])] = scale.elements(as: Float.self)[0]
        }
        let rounding = Dictionary(
            graph.nodes.filter { $0.operation is QuantizeLinear }.map { ($0.inputs[0], $0) },
            uniquingKeysWith: { first, _ in first })
        var count = 0
        for node in graph.nodes where node.operation is Concat {
            let rounded = try #require(rounding[node.outputs[0]])
            let scale = try #require(rounded.inputs[1].flatMap { graph.initializers[$0] }).elements(as: Float.self)[0]
            #expect(node.inputs.allSatisfy { $0.flatMap { scales[$0] } == scale }, "\(node.name)")
            count += 1
        }
        #expect(count == 8)
    }
}
