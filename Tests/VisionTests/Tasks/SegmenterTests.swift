import Apus
import Foundation
import Graphs
import Images
import TestSupport
import Testing

@Suite("Classes of pixels")
struct SegmenterTests {
    /// What PyTorch and pycocotools give for made up scores.
    struct Reference: Decodable, Sendable, CustomTestStringConvertible {
        struct Segment: Decodable, Sendable {
            let index: Int
            let counts: String
            let area: Int
            let box: [Float]
        }

        let channels, height, width, rows, columns: Int
        let scores, first: [Float]
        let classes: [Int]
        let segments: [Segment]

        var testDescription: String { "\(channels) maps of \(width)x\(height) for \(columns)x\(rows)" }

        static let all: [Reference] = {
            let file = TestedNetworks.fixtures.appending(path: "segmentation/references.json")
            let data = (try? Data(contentsOf: file)) ?? Data()
            return (try? JSONDecoder().decode([Reference].self, from: data)) ?? []
        }()
    }

    /// A network that gives fixed maps for every picture.
    static func model(
        _ maps: [Float], _ shape: [Int], finish: (GraphBuilder.Value) -> GraphBuilder.Value = { $0 }
    ) throws -> Model {
        let (zero, numbers) = (try Tensor([0] as [Float], shape: [1, 1, 1, 1]), try Tensor(maps, shape: [1] + shape))
        return try Model(
            try Graph.build("maps") { net in
                let pooled = net.input("image", .float32, [.batch, 3, 8, 8]).globalAveragePool()
                let nothing = pooled.convolution(1, kernel: 1).multiplied(by: net.constant("zero", zero))
                net.output("y", finish(nothing.added(to: net.constant("maps", numbers))))
            }.seeded(1))
    }

    private func gray(_ width: Int, _ height: Int) throws -> Image {
        try Image(width: width, height: height, pixels: [UInt8](repeating: 128, count: width * height * 3))
    }

    @Test("Classes are PyTorch's, and masks those of pycocotools", arguments: Reference.all)
    func references(_ reference: Reference) async throws {
        let shape = [reference.channels, reference.height, reference.width]
        let segmenter = try await Segmenter(Self.model(reference.scores, shape))
        let answer = try await segmenter.predict(.image(gray(reference.columns, reference.rows)))
        #expect(answer.imageSize == ImageSize(width: reference.columns, height: reference.rows))
        #expect(answer.classes.elementType == .uint8 && answer.matte == nil)
        #expect(answer.classes.elements(as: Int32.self).map(Int.init) == reference.classes)
        #expect(answer.segments.map(\.index) == reference.segments.map(\.index))
        for (found, expected) in zip(answer.segments, reference.segments) {
            #expect(found.runs.compressed == expected.counts && found.area == expected.area)
            let box = found.box.pixels(in: answer.imageSize)
            for (number, other) in zip([box.x, box.y, box.width, box.height], expected.box) {
                #expect(abs(number - other) < 1e-3)
            }
        }
    }

    @Test("All references are read")
    func count() { #expect(Reference.all.count == 4) }

    @Test("One map that ends in Sigmoid is a matte as it is; of other numbers the sigmoid is taken")
    func mattes() async throws {
        let reference = Reference.all[0]
        let numbers = Array(reference.scores.prefix(reference.height * reference.width))
        let shape = [1, reference.height, reference.width]
        let picture = ImageSource.image(try gray(reference.columns, reference.rows))
        let plain = try await Segmenter(Self.model(numbers, shape)).predict(picture)
        let expected = reference.first.map { UInt8(255 / (1 + exp(-$0)) + 0.5) }
        #expect(
            try zip(#require(plain.matte).elements(as: UInt8.self), expected).allSatisfy { $0.absolute(to: $1) < 2 })
        #expect(plain.classes.elements(as: UInt8.self) == reference.first.map { $0 >= 0 ? 1 : 0 })
        #expect(plain.segments.map(\.index) == [1])
        let network = try Self.model(numbers, shape) { $0.sigmoid() }
        let finished = try await Segmenter(network, segmentation: .init(threshold: 0.9)).predict(picture)
        #expect(
            finished.classes.elements(as: UInt8.self).reduce(0, &+)
                < plain.classes.elements(as: UInt8.self).reduce(0, &+))
        let levels = try #require(finished.matte).elements(as: UInt8.self)
        #expect(levels.contains { $0 > 128 } && levels.contains { $0 < 128 })
    }

    @Test("Pixels that a crop left out have no class")
    func unseen() async throws {
        let steps = Preprocessing(.centerCrop, to: ImageSize(width: 8, height: 8), scale: 1)
        let maps = [Float](repeating: 1, count: 16) + [Float](repeating: 0, count: 16)
        let segmenter = try await Segmenter(Self.model(maps, [2, 4, 4]), preprocessing: steps)
        let answer = try await segmenter.predict(.image(gray(16, 8)))
        let row: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]
        #expect(answer.classes.elements(as: UInt8.self) == (0..<8).flatMap { _ in row })
        #expect(answer.segments.map(\.index) == [0] && answer.segments[0].area == 64)
        #expect(answer.segments[0].box == NormalizedBox(x: 0.25, y: 0, width: 0.5, height: 1))
    }

    @Test("More than 255 classes have 16 bits")
    func manyClasses() async throws {
        var maps = [Float](repeating: 0, count: 300 * 4)
        maps[299 * 4 + 3] = 1
        let answer = try await Segmenter(Self.model(maps, [300, 2, 2])).predict(.image(gray(2, 2)))
        #expect(answer.classes.elementType == .uint16)
        #expect(answer.classes.elements(as: UInt16.self) == [0, 0, 0, 299])
    }

    @Test("Networks with maps for every pixel of the input are told, those with few of them are not")
    func purpose() throws {
        func purpose(_ channels: Int, labels: Int? = nil) throws -> ModelPurpose {
            let maps = [Float](repeating: 0, count: channels * 64)
            var model = try Self.model(maps, [channels, 8, 8])
            if let labels { model.labels = Labels((0..<labels).map { "\($0)" }) }
            return model.purpose
        }
        #expect(try purpose(4).task == .segment && purpose(3).task == nil && purpose(1).task == nil)
        #expect(try purpose(3, labels: 3).task == .segment && purpose(1).candidates.contains(.segment))
    }

    @Test("Requests give the same, and drawings color what is not background")
    func requests() async throws {
        let maps: [Float] = [1, 0, 1, 0, 0, 1, 0, 1]
        let segmenter = try await Segmenter(Self.model(maps, [2, 2, 2]))
        let image = try gray(2, 2)
        let handler = try ImageRequestHandler(.image(image))
        let answer = try await handler.perform(PredictionRequest(segmenter))
        #expect(answer.classes.elements(as: UInt8.self) == [0, 1, 0, 1])
        let drawn = try image.drawing(answer)
        #expect(Array(drawn.pixels[0..<6]) == [128, 128, 128, 128, 64, 64])
        #expect(throws: ImageError.self) { try gray(3, 2).drawing(answer) }
    }

    @Test("Outputs without maps are refused by name")
    func refused() async throws {
        let classifier = try TestedNetworks.squeezeNet()
        await #expect(throws: ApusError.self) { try await Segmenter(classifier) }
        // Any value with maps can be read.
        let answer = try await Segmenter(classifier, segmentation: .init(output: "conv10"))
            .predict(.file(TestedNetworks.photo("coffee.png")))
        #expect(answer.segments.reduce(0) { $0 + $1.area } <= 600 * 400)
    }
}

extension UInt8 {
    fileprivate func absolute(to other: UInt8) -> Int { abs(Int(self) - Int(other)) }
}
