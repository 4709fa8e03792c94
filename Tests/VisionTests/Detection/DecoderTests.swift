import Apus
import Foundation
import Graphs
import Images
import Tensors
import Testing

/// Every decoder on numbers made by hand for known boxes.
@Suite("Decoders of detectors")
struct DecoderTests {
    static let size = ImageSize(width: 64, height: 32)

    func signature(_ outputs: [(String, [Int])], size: ImageSize = Self.size) -> DetectorSignature {
        DetectorSignature(
            model: "made.onnx", outputs: outputs.map { .init(name: $0.0, shape: $0.1) }, inputSize: size)
    }

    func expect(_ found: ObjectCandidate, _ edges: [Float], _ confidence: Float, class index: Int) {
        for (found, expected) in zip([found.left, found.top, found.right, found.bottom], edges) {
            #expect(abs(found - expected) < 1e-5)
        }
        #expect(abs(found.confidence - confidence) < 1e-5)
        #expect(found.classIndex == index)
    }

    @Test("A network of open extents is told by what it gives for the size of its metadata")
    func openExtents() throws {
        var graph = try Graph.build("open") { net in
            let image = net.input("images", .float32, [.batch, 3, 32, 64])
            let heads = [8, 16, 32].map { image.convolution(6, kernel: $0, stride: $0).reshape([0, 6, -1]) }
            net.output("output0", net.concat(heads, axis: 2))
        }
        graph = try graph.seeded(1)
        graph.values[graph.inputs[0].index].shape = Shape([.batch, 3, .symbol("height"), .symbol("width")])
        graph.values[graph.outputs[0].index].shape = nil
        let model = try Model(graph)
        #expect(!YOLOv8Decoder.recognizes(DetectorSignature(model, inputSize: nil)))
        let signature = DetectorSignature(model, inputSize: Self.size)
        #expect(signature.outputs[0].shape == [1, 6, 32 + 8 + 2])
        #expect(YOLOv8Decoder.recognizes(signature))
        var configuration = DetectionConfiguration()
        #expect(try ObjectDetector.customaryPreprocessing(of: model, configuration) == nil)
        configuration.inputSize = Self.size
        #expect(try ObjectDetector.customaryPreprocessing(of: model, configuration)?.fixedOutputSize == Self.size)
    }

    @Test("YOLOX: offsets within the cells of every stride, in order")
    func yolox() throws {
        // 8 × 4 cells of 8 pixels, 4 × 2 of 16, 2 × 1 of 32.
        let cellCount = 32 + 8 + 2
        let signature = signature([("output", [1, cellCount, 7])])
        #expect(YOLOXDecoder.recognizes(signature))
        let decoder = try YOLOXDecoder(signature, DetectionConfiguration())
        var values = [Float](repeating: 0, count: cellCount * 7)
        // Row 1, column 2 of the coarser grid of 16: center (2.5 × 16, 1.25 × 16), size (32, 8).
        let start = (32 + 1 * 4 + 2) * 7
        values.replaceSubrange(start..<start + 7, with: [0.5, 0.25, Float(log(2.0)), Float(log(0.5)), 0.8, 0.1, 0.5])
        // A size so large that it is not finite.
        values.replaceSubrange(0..<7, with: [0, 0, 1e9, 0, 1, 1, 0])
        let found = try decoder.candidates(
            in: [Tensor(values, shape: [1, cellCount, 7])], inputSize: Self.size, above: 0.3)
        #expect(found.count == 2)
        expect(found[1], [24 / 64, 16 / 32, 56 / 64, 24 / 32], 0.4, class: 1)
        #expect(!found[0].isSound)
        #expect(NonMaximumSuppression()(found).count == 1)
        #expect(throws: RecordError.self) {
            try decoder.candidates(in: [Tensor(zeros: .float32, shape: [1, 5, 7])], inputSize: Self.size, above: 0.3)
        }
    }

    @Test("YOLOv5: centers and sizes in pixels, objectness times class")
    func yolov5() throws {
        let anchors = 3 * 42
        let signature = signature([("output0", [1, anchors, 7])])
        #expect(YOLOv5Decoder.recognizes(signature))
        #expect(!YOLOXDecoder.recognizes(signature))
        var values = [Float](repeating: 0, count: anchors * 7)
        values.replaceSubrange(70..<77, with: [32, 16, 16, 8, 0.5, 0.9, 0.2])
        let decoder = try YOLOv5Decoder(signature, DetectionConfiguration())
        let found = try decoder.candidates(
            in: [Tensor(values, shape: [1, anchors, 7])], inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [24 / 64, 12 / 32, 40 / 64, 20 / 32], 0.45, class: 0)
    }

    @Test("YOLOv8: columns or rows, no objectness", arguments: [false, true])
    func yolov8(_ isTransposed: Bool) throws {
        let signature = signature([("output0", [1, 7, 42])])
        #expect(YOLOv8Decoder.recognizes(signature))
        let row: [Float] = [32, 16, 16, 8, 0.1, 0.2, 0.7]
        var values = [Float](repeating: 0, count: 7 * 42)
        for (position, number) in row.enumerated() {
            values[isTransposed ? 11 * 7 + position : position * 42 + 11] = number
        }
        let tensor = try Tensor(values, shape: isTransposed ? [1, 42, 7] : [1, 7, 42])
        let found = try YOLOv8Decoder(signature, DetectionConfiguration())
            .candidates(in: [tensor], inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [24 / 64, 12 / 32, 40 / 64, 20 / 32], 0.7, class: 2)
    }

    @Test("YOLOv3-Tiny: anchors of both heads, channels first or last", arguments: [false, true])
    func yolov3(_ isChannelsLast: Bool) throws {
        let size = ImageSize(width: 64, height: 64)
        // Two heads with 3 × (5 + 2) numbers a cell: 2 × 2 cells of 32 pixels and 4 × 4 of 16.
        let shapes = isChannelsLast ? [[1, 2, 2, 21], [1, 4, 4, 21]] : [[1, 21, 2, 2], [1, 21, 4, 4]]
        let signature = signature([("coarse", shapes[0]), ("fine", shapes[1])], size: size)
        #expect(YOLOv3Decoder.recognizes(signature))
        func head(_ cells: Int, row: Int, column: Int, anchor: Int, _ numbers: [Float]) -> [Float] {
            var values = [Float](repeating: -20, count: 21 * cells * cells)
            for (position, number) in numbers.enumerated() {
                let channel = anchor * 7 + position
                let index =
                    isChannelsLast
                    ? (row * cells + column) * 21 + channel : (channel * cells + row) * cells + column
                values[index] = number
            }
            return values
        }
        let coarse = head(2, row: 1, column: 0, anchor: 0, [0, 0, 0, 0, 20, -20, 20])
        let fine = head(4, row: 2, column: 3, anchor: 1, [0, 0, Float(log(2.0)), 0, 20, 0, -20])
        let outputs = try [Tensor(coarse, shape: shapes[0]), Tensor(fine, shape: shapes[1])]
        let found = try YOLOv3Decoder(signature, DetectionConfiguration())
            .candidates(in: outputs, inputSize: size, above: 0.25)
        #expect(found.count == 2)
        // The fine head comes first: center (3.5, 2.5) × 16, anchor (23, 27) twice as wide; σ(0) = 0.5.
        expect(found[0], [(56 - 23) / 64, (40 - 13.5) / 64, (56 + 23) / 64, (40 + 13.5) / 64], 0.5, class: 0)
        // Center (0.5, 1.5) × 32, anchor (81, 82).
        expect(found[1], [(16 - 40.5) / 64, (48 - 41) / 64, (16 + 40.5) / 64, (48 + 41) / 64], 1, class: 1)
    }

    @Test("SSD after TensorFlow's own suppression: four outputs in order, the count respected")
    func ssdPostProcess() throws {
        let signature = signature([
            ("TFLite_Detection_PostProcess", [1, 3, 4]), ("TFLite_Detection_PostProcess:1", [1, 3]),
            ("TFLite_Detection_PostProcess:2", [1, 3]), ("TFLite_Detection_PostProcess:3", [1]),
        ])
        #expect(SSDDecoder.recognizes(signature))
        let outputs = try [
            Tensor([0.1, 0.2, 0.5, 0.6, 0, 0, 1, 1, 0, 0, 1, 1] as [Float], shape: [1, 3, 4]),
            Tensor([17, 2, 3] as [Float], shape: [1, 3]), Tensor([0.9, 0.1, 0.8] as [Float], shape: [1, 3]),
            Tensor([2] as [Float], shape: [1]),
        ]
        let found = try SSDDecoder(signature, DetectionConfiguration())
            .candidates(in: outputs, inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [0.2, 0.1, 0.6, 0.5], 0.9, class: 17)
    }

    @Test("SSD with a score for every class, a background first, and boxes in pixels")
    func ssdScores() throws {
        var configuration = DetectionConfiguration()
        configuration.classOffset = 1
        configuration.boxFormat = .centerAndSize
        configuration.boxUnits = .pixels
        let signature = signature([("scores", [1, 2, 3]), ("boxes", [1, 2, 4])])
        let outputs = try [
            Tensor([0.9, 0.05, 0.05, 0.1, 0.2, 0.7] as [Float], shape: [1, 2, 3]),
            Tensor([0, 0, 1, 1, 32, 16, 16, 8] as [Float], shape: [1, 2, 4]),
        ]
        let found = try SSDDecoder(signature, configuration)
            .candidates(in: outputs, inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [24 / 64, 12 / 32, 40 / 64, 20 / 32], 0.7, class: 1)
    }

    @Test("Core ML's pipelines: confidence and coordinates, also of nothing")
    func coreML() throws {
        let signature = signature([("confidence", [2, 2]), ("coordinates", [2, 4])])
        #expect(CoreMLDecoder.recognizes(signature))
        let decoder = try CoreMLDecoder(signature, DetectionConfiguration())
        let found = try decoder.candidates(
            in: [
                Tensor([0.1, 0.2, 0.3, 0.6] as [Float], shape: [2, 2]),
                Tensor([0.5, 0.5, 0.1, 0.1, 0.5, 0.25, 0.2, 0.1] as [Float], shape: [2, 4]),
            ], inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [0.4, 0.2, 0.6, 0.3], 0.6, class: 1)
        let none = try [Tensor(zeros: .float32, shape: [0, 2]), Tensor(zeros: .float32, shape: [0, 4])]
        #expect(try decoder.candidates(in: none, inputSize: Self.size, above: 0.25).isEmpty)
    }

    @Test("Decoders refuse outputs whose anchors are not the cells of grids: an end-to-end network's [1, 300, 6]")
    func extents() throws {
        let size = ImageSize(width: 640, height: 640)
        let endToEnd = signature([("output0", [1, 300, 6])], size: size)
        for decoder in [YOLOv8Decoder.self, YOLOv5Decoder.self, YOLOXDecoder.self, YOLOOBBDecoder.self]
            as [any ObjectDecoder.Type]
        {
            let error = #expect(throws: ApusError.self) { try decoder.init(endToEnd, DetectionConfiguration()) }
            #expect("\(error.map { "\($0)" } ?? "")".contains("\"output0\" [1, 300, 6]"))
        }
        // Grids of other strides, rows instead of columns, and other counts of anchors.
        for shape in [[1, 84, 8500], [1, 84, 34000], [1, 8400, 84], [1, 84, 8400]] {
            _ = try YOLOv8Decoder(signature([("output0", shape)], size: size), DetectionConfiguration())
        }
        for count in [8400, 25_200, 25_500] {
            _ = try YOLOv5Decoder(signature([("output0", [1, count, 85])], size: size), DetectionConfiguration())
        }
        var configuration = DetectionConfiguration()
        configuration.strides = [64]
        _ = try YOLOv8Decoder(signature([("output0", [1, 84, 100])], size: size), configuration)
        configuration = DetectionConfiguration()
        configuration.boxUnits = .normalized
        _ = try YOLOv8Decoder(signature([("output0", [1, 300, 84])], size: size), configuration)
    }

    @Test("Confidences outside 0 to 1 are an error of the record", arguments: [-3 as Float, 1.5, 79])
    func ranges(_ number: Float) throws {
        let size = ImageSize(width: 64, height: 32)
        func expectError(_ decoder: any ObjectDecoder.Type, _ shapes: [(String, [Int])], at place: (Int, Int)) throws {
            let decoder = try decoder.init(signature(shapes), DetectionConfiguration())
            let tensors = try shapes.enumerated().map { index, output in
                var values = [Float](repeating: 0, count: output.1.reduce(1, *))
                if index == place.0 { values[place.1] = number }
                return try Tensor(values, shape: output.1)
            }
            let error = #expect(throws: RecordError.self) {
                try decoder.candidates(in: tensors, inputSize: size, above: 0.25)
            }
            #expect(error?.code == "confidence" && error?.message.contains("1 of ") == true)
        }
        try expectError(YOLOv8Decoder.self, [("o", [1, 7, 42])], at: (0, 4 * 42))
        try expectError(YOLOv8Decoder.self, [("o", [1, 42, 7])], at: (0, 41 * 7 + 6))
        try expectError(YOLOv5Decoder.self, [("o", [1, 126, 7])], at: (0, 4))
        try expectError(YOLOXDecoder.self, [("o", [1, 42, 7])], at: (0, 41 * 7 + 5))
        try expectError(YOLOOBBDecoder.self, [("o", [1, 7, 42])], at: (0, 5 * 42))
        try expectError(SSDDecoder.self, [("scores", [1, 2, 3]), ("boxes", [1, 2, 4])], at: (0, 5))
        try expectError(CoreMLDecoder.self, [("confidence", [2, 2]), ("coordinates", [2, 4])], at: (0, 3))
    }

    @Test("A model is refused by the decoder it does not fit, with its outputs named")
    func refusal() throws {
        let error = #expect(throws: ApusError.self) {
            try CoreMLDecoder(self.signature([("prob", [1, 10])]), DetectionConfiguration())
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("\"prob\" [1, 10]"))
    }
}
