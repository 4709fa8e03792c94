import Apus
import Foundation
import Graphs
import Images
import Tensors
import TestSupport
import Testing

/// Detectors without an axis of the batch, as torchvision exports them.
@Suite("Networks of torchvision for objects")
struct TorchvisionTests {
    /// A network for one picture of any size, [3, height, width].
    ///
    /// - Parameters:
    ///   - masks: The numbers of the masks, for a mask of `cells`² numbers in each box.
    ///   - names: The names of the outputs.
    private static func model(
        boxes: [[Float]], labels: [Int64], scores: [Float], masks: [Float]? = nil, cells: Int = 4,
        names: [String] = ["boxes", "labels", "scores", "masks"]
    ) throws -> Model {
        let count = boxes.count
        let labels = try Tensor(labels, shape: [count])
        let zero = try Tensor([0] as [Float], shape: [1])
        var outputs = [
            (names[0], try Tensor(boxes.flatMap { $0 }, shape: [count, 4])),
            (names[2], try Tensor(scores, shape: [count])),
        ]
        if let masks { outputs.append((names[3], try Tensor(masks, shape: [count, 1, cells, cells]))) }
        var graph = try Graph.build("detector") { net in
            let image = net.input("image", .float32, [3, 64, 64])
            let number = (0..<3).reduce(image) { $0.slice(0..<1, axis: $1) }.reshape([1])
            let nothing = number.multiplied(by: net.constant("zero", zero))
            net.output(names[1], net.constant(names[1] + "/numbers", labels))
            for (name, numbers) in outputs {
                net.output(name, nothing.added(to: net.constant(name + "/numbers", numbers)))
            }
        }
        graph = try graph.seeded(1)
        graph.values[graph.inputs[0].index].shape = Shape([.fixed(3), .symbol("height"), .symbol("width")])
        return try Model(graph)
    }

    @Test("Boxes are in pixels of a picture of any size, and are not suppressed again")
    func boxes() async throws {
        let model = try Self.model(
            boxes: [[10, 5, 50, 25], [11, 5, 50, 25], [0, 0, 100, 50], [3, 3, 3, 9]], labels: [2, 2, 1, 1],
            scores: [0.9, 0.8, 0.1, 0.9])
        #expect(model.purpose.task == .detect)
        let detector = try await ObjectDetector(model)
        #expect(detector.decoderName == "torchvision")
        let answer = try await detector.predict(FixedOutputs.gray(100, 50))
        #expect(answer.objects.map(\.confidence) == [0.9, 0.8] && answer.objects.map(\.identifier) == ["2", "2"])
        #expect(answer.objects[0].box == NormalizedBox(x: 0.1, y: 0.1, width: 0.4, height: 0.4))
        let other = try await detector.predict(FixedOutputs.gray(200, 50))
        #expect(other.objects[0].box == NormalizedBox(x: 0.05, y: 0.1, width: 0.2, height: 0.4))
    }

    @Test("Several pictures run one at a time, and errors are those of one picture")
    func batches() async throws {
        let detector = try await ObjectDetector(
            try Self.model(boxes: [[10, 5, 50, 25]], labels: [1], scores: [0.9]))
        let sources = [try FixedOutputs.gray(100, 50), try FixedOutputs.gray(100, 50)]
        var prepared: [PreparedPicture] = []
        for source in sources { prepared.append(try await detector.pictures.prepare(source)) }
        let found = try await detector.core.answers(to: prepared)
        #expect(try found.map { try $0.get().objects.count } == [1, 1])
    }

    /// What torchvision and pycocotools give for made up masks.
    struct Reference: Decodable, Sendable, CustomTestStringConvertible {
        let numbers, box: [Float]
        let cells, width, height, area: Int
        let counts: String

        var testDescription: String { "\(cells) cells in \(width)x\(height)" }

        static let all: [Reference] = {
            let file = TestedNetworks.fixtures.appending(path: "segmentation/pasted.json")
            let data = (try? Data(contentsOf: file)) ?? Data()
            return (try? JSONDecoder().decode([Reference].self, from: data)) ?? []
        }()
    }

    @Test("Masks of boxes are put into the picture as torchvision does", arguments: Reference.all)
    func references(_ reference: Reference) async throws {
        let model = try Self.model(
            boxes: [reference.box], labels: [1], scores: [0.9], masks: reference.numbers, cells: reference.cells)
        #expect(model.purpose.task == .segment)
        let segmenter = try await InstanceSegmenter(model)
        let answer = try await segmenter.predict(FixedOutputs.gray(reference.width, reference.height))
        #expect(answer.instances.map(\.runs.compressed) == [reference.counts])
        #expect(answer.instances.map(\.area) == [reference.area])
    }

    @Test("All references are read")
    func count() { #expect(Reference.all.count == 5) }

    @Test("Masks of the picture stay where they are, and boxes alone can be asked for")
    func placedMasks() async throws {
        var mask = [Float](repeating: 0, count: 64)
        for (place, number) in [(9, 0.6), (10, 0.9), (17, 0.4)] as [(Int, Float)] { mask[place] = number }
        let model = try Self.model(boxes: [[1, 1, 4, 3]], labels: [7], scores: [0.5], masks: mask, cells: 8)
        let answer = try await InstanceSegmenter(model).predict(FixedOutputs.gray(8, 8))
        #expect(answer.instances.map(\.runs.counts) == [[9, 1, 7, 1, 46]] && answer.instances[0].label.index == 7)
        let objects = try await ObjectDetector(model).predict(FixedOutputs.gray(8, 8)).objects
        #expect(objects.map(\.box) == [NormalizedBox(x: 0.125, y: 0.125, width: 0.375, height: 0.25)])
    }

    @Test("Boxes that are no numbers or far outside make no trap")
    func hostile() async throws {
        let wild: [Float] = [-1e30, -1e30, 1e30, 1e30]
        let model = try Self.model(
            boxes: [wild, [.nan, 0, 1, 1], [0, 0, 9, 9]], labels: [.max, 1, 1], scores: [1, 1, .nan],
            masks: [Float](repeating: 1, count: 48))
        let error = await #expect(throws: RecordError.self) {
            try await InstanceSegmenter(model).predict(FixedOutputs.gray(8, 8))
        }
        #expect(error?.code == "not-finite")
        let large = try Self.model(
            boxes: [wild], labels: [1], scores: [1], masks: [Float](repeating: 1, count: 16))
        #expect(try await InstanceSegmenter(large).predict(FixedOutputs.gray(8, 8)).instances.map(\.area) == [64])
    }

    @Test("Unnamed outputs are read when asked for, and classifiers without an axis of the batch are refused")
    func unnamed() async throws {
        let model = try Self.model(
            boxes: [[1, 1, 4, 3]], labels: [7], scores: [0.5], names: ["a", "b", "c", "d"])
        #expect(model.purpose.task == nil && model.purpose.candidates.contains(.detect))
        #expect(try await ObjectDetector(model).predict(FixedOutputs.gray(8, 8)).objects.map(\.identifier) == ["7"])
        await #expect(throws: ApusError.self) { try await Classifier(model) }
    }
}
