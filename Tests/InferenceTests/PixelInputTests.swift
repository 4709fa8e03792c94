import Apus
import Graphs
import Images
import Tensors
import TestSupport
import Testing

@Suite("Networks of pixels")
struct PixelInputTests {
    /// A network that doubles its input's numbers.
    private func doubling(_ shape: Shape) throws -> Model {
        let graph = try Graph.build("doubling") { net in
            let image = net.input("image", .float32, shape)
            net.output("doubled", image + image)
        }
        return try Model(graph)
    }

    @Test("The same answers as with the preprocessing outside, also as a file")
    func sameAnswers() async throws {
        let model = try TestedNetworks.squeezeNet()
        let pixels = try model.takingPixels()
        let input = try #require(pixels.graph.inputs.first)
        #expect(pixels.graph[input].elementType == .uint8)
        #expect(pixels.graph[input].name == model.graph[model.graph.inputs[0]].name)
        let photo = ImageSource.file(TestedNetworks.photo("chelsea.png"))
        let expected = try await Classifier(model).predict(photo)
        var found = [try await Classifier(pixels).predict(photo)]
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "pixels.onnx").path
            try pixels.export(to: file)
            found.append(
                try await Classifier(
                    Model(contentsOf: file), preprocessing: pixels.preprocessing, labels: model.labels
                ).predict(photo))
        }
        for answer in found {
            #expect(answer.top(5).map(\.label) == expected.top(5).map(\.label))
            for (confidence, other) in zip(answer.confidences, expected.confidences) {
                #expect(abs(confidence - other) <= 1e-5)
            }
        }
    }

    @Test(
        "Every channel is scaled as the preprocessing says",
        arguments: [[.batch, 3, 2, 4], [.batch, 2, 4, 3]] as [Shape], Preprocessing.ChannelOrder.allCases.prefix(2))
    func channels(_ shape: Shape, _ order: Preprocessing.ChannelOrder) async throws {
        var model = try doubling(shape)
        model.preprocessing = Preprocessing(
            .fill, to: ImageSize(width: 4, height: 2), scale: 0.5, mean: [1, 20, 300], standardDeviation: [2, 5, 7],
            channelOrder: order)
        let picture = try Image(width: 4, height: 2, pixels: (0..<24).map { UInt8($0 * 10) })
        let expected = try await Self.output(model, picture)
        #expect(try await Self.output(model.takingPixels(), picture) == expected)
        // Pixel 1 of the first row is 30, 40, 50.
        let first = order == .rgb ? (30 * 0.5 - 1) / 2 : (50 * 0.5 - 300) / 7
        let position = shape.dimensions[1] == .fixed(3) ? 1 : 3
        #expect(expected[position] == Float(2 * first))
    }

    private static func output(_ model: Model, _ picture: Image) async throws -> [Float] {
        let request = PredictionRequest(try await OutputReader(model))
        let outputs = try await ImageRequestHandler(.image(picture)).perform(request)
        return try #require(outputs["doubled"]).elements(as: Float.self)
    }

    /// A network of a picture of 4x2 pixels whose last node computes `doubled`.
    private static func model(
        _ type: ElementType, _ last: (inout Graph, Graph.ValueID) throws -> (any Operator, [Graph.ValueID])
    ) throws -> Model {
        var graph = Graph(name: "made")
        let image = graph.addValue("image", elementType: type, shape: [1, 3, 2, 4])
        graph.inputs = [image]
        let (operation, inputs) = try last(&graph, image)
        let output = graph.addValue("doubled")
        graph.nodes.append(Graph.Node(name: "last", operation: operation, inputs: inputs, outputs: [output]))
        graph.outputs = [output]
        try graph.validate()
        return try Model(graph)
    }

    @Test(
        "Pictures become numbers of the input's floating-point type",
        arguments: [.float16, .bfloat16, .float64] as [ElementType])
    func floatingPointTypes(_ type: ElementType) async throws {
        var model = try Self.model(type) { graph, image in
            let sum = graph.addValue("sum")
            graph.nodes.append(Graph.Node(name: "add", operation: Add(), inputs: [image, image], outputs: [sum]))
            return (Cast(to: .float32), [sum])
        }
        model.preprocessing = Preprocessing(.fill, to: ImageSize(width: 4, height: 2), scale: 0.5)
        let picture = try Image(width: 4, height: 2, pixels: (0..<24).map { UInt8($0 * 10) })
        let numbers = try await Self.output(model, picture)
        let expected: [Float] = (0..<24).map { (place: Int) -> Float in Float(place % 8 * 3 + place / 8) * 10 }
        #expect(numbers == expected)
    }

    @Test(
        "Pictures of int32 are pixels, whether the steps give 0 to 255 or 0 to 1", arguments: [1, 1 / 255] as [Float])
    func wideIntegers(_ scale: Float) async throws {
        var model = try Self.model(.int32) { graph, image in
            let sum = graph.addValue("sum")
            graph.nodes.append(Graph.Node(name: "add", operation: Add(), inputs: [image, image], outputs: [sum]))
            return (Cast(to: .float32), [sum])
        }
        model.preprocessing = Preprocessing(.fill, to: ImageSize(width: 4, height: 2), scale: scale)
        let picture = try Image(width: 4, height: 2, pixels: (0..<24).map { UInt8($0 * 10) })
        let numbers = try await Self.output(model, picture)
        let expected: [Float] = (0..<24).map { (place: Int) -> Float in Float(place % 8 * 3 + place / 8) * 20 }
        #expect(numbers == expected)
    }

    @Test("Integers of a picture are what the nodes that read them take them for")
    func quantizedInput() async throws {
        var model = try Self.model(.uint8) { graph, image in
            let numbers = graph.addValue("numbers")
            let scale = graph.addInitializer("scale", try Tensor([0.02] as [Float], shape: []))
            let zero = graph.addInitializer("zero", try Tensor([114] as [UInt8], shape: []))
            graph.nodes.append(
                Graph.Node(
                    name: "dequantize", operation: DequantizeLinear(), inputs: [image, scale, zero],
                    outputs: [numbers]))
            return (Add(), [numbers, numbers])
        }
        model.preprocessing = Preprocessing(
            .fill, to: ImageSize(width: 4, height: 2), scale: 1 / 255, mean: [0.5], standardDeviation: [0.25])
        let picture = try Image(width: 4, height: 2, pixels: (0..<24).map { UInt8($0 * 10) })
        let numbers = try await Self.output(model, picture)
        for (place, number) in numbers.enumerated() {
            let pixel = Float(place % 8 * 3 + place / 8) * 10
            #expect(abs(number - 2 * (pixel / 255 - 0.5) / 0.25) <= 0.0201, "\(place)")
        }
    }

    @Test("What cannot take pixels is refused by name")
    func refusals() throws {
        func message(_ model: Model) -> String? {
            #expect(throws: ApusError.self) { try model.takingPixels() }
                .map { "\($0)" }
        }
        var model = try doubling([.batch, 3, 2, 4])
        #expect(message(model) == "doubling: nothing says how pixels become the numbers that the network takes")
        model.preprocessing = Preprocessing(.fill, to: ImageSize(width: 3, height: 2))
        model.preprocessing?.padding = ImageSize(width: 4, height: 2)
        #expect(
            message(model)
                == "doubling: the preprocessing pads normalized pictures with zeros, which no pixel stands for")
        model.preprocessing = Preprocessing(.fill, to: ImageSize(width: 4, height: 2))
        let pixels = try model.takingPixels()
        #expect(message(pixels) == "doubling: input \"image\" takes no numbers of float32")
    }
}
