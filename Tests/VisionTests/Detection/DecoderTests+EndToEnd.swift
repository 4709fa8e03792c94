import Apus
import Foundation
import Graphs
import Images
import Tensors
import TestSupport
import Testing

extension DecoderTests {
    func decoder(of signature: DetectorSignature) throws -> any ObjectDecoder.Type {
        try #require(Catalog.decoders.first { $0.recognizes(signature) })
    }

    @Test("Exports of YOLO that end with boxes are told from those that give every cell")
    func yoloEndToEnd() throws {
        let signature = signature([("output0", [1, 300, 6])])
        #expect(try decoder(of: signature) == YOLOEndToEndDecoder.self)
        // 42 cells, and three anchors in each.
        #expect(try decoder(of: self.signature([("output0", [1, 42, 6])])) == YOLOXDecoder.self)
        #expect(try decoder(of: self.signature([("output0", [1, 126, 6])])) == YOLOv5Decoder.self)
        let decoder = try YOLOEndToEndDecoder(signature, DetectionConfiguration())
        var values = [Float](repeating: 0, count: 300 * 6)
        values.replaceSubrange(0..<12, with: [16, 8, 48, 24, 0.9, 2, 0, 0, 32, 32, 0.2, 1])
        let found = try decoder.candidates(
            in: [Tensor(values, shape: [1, 300, 6])], inputSize: Self.size, above: 0.25)
        #expect(decoder.isSuppressed && found.count == 1)
        expect(found[0], [0.25, 0.25, 0.75, 0.75], 0.9, class: 2)
        // Rows of no confidence are none, whatever the least confidence.
        #expect(
            try decoder.candidates(in: [Tensor(values, shape: [1, 300, 6])], inputSize: Self.size, above: 0).count == 2)
        for damage in [Float(0.5), 1e9] {
            values[5] = damage
            #expect(throws: RecordError.self) {
                try decoder.candidates(in: [Tensor(values, shape: [1, 300, 6])], inputSize: Self.size, above: 0.25)
            }
        }
        #expect(throws: RecordError.self) {
            try decoder.candidates(in: [Tensor(zeros: .float32, shape: [1, 300, 7])], inputSize: Self.size, above: 0)
        }
    }

    @Test("YOLOv7 with --end2end gives rows with their picture, as many as there are boxes")
    func yolov7EndToEnd() throws {
        var signature = signature([])
        signature = DetectorSignature(
            model: "made.onnx", outputs: [.init(name: "output", shape: [nil, 7])], inputSize: Self.size)
        #expect(try decoder(of: signature) == YOLOv7EndToEndDecoder.self)
        let decoder = try YOLOv7EndToEndDecoder(signature, DetectionConfiguration())
        let rows = try Tensor([0, 16, 8, 48, 24, 3, 0.5, 0, 0, 0, 8, 8, 1, 0.1] as [Float], shape: [2, 7])
        let found = try decoder.candidates(in: [rows], inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [0.25, 0.25, 0.75, 0.75], 0.5, class: 3)
        let none = try Tensor([Float](), shape: [0, 7])
        #expect(try decoder.candidates(in: [none], inputSize: Self.size, above: 0.25).isEmpty)
    }

    @Test("DETR's last column is no object, and RT-DETR's classes are independent; labels tell them apart")
    func detr() throws {
        func signature(_ queries: Int, _ columns: Int, labels: Int?) -> DetectorSignature {
            var signature = self.signature([("logits", [1, queries, columns]), ("pred_boxes", [1, queries, 4])])
            signature.labelCount = labels
            return signature
        }
        #expect(try decoder(of: signature(100, 92, labels: 91)) == DETRDecoder.self)
        #expect(try decoder(of: signature(100, 92, labels: nil)) == DETRDecoder.self)
        #expect(try decoder(of: signature(300, 80, labels: 80)) == RTDETRDecoder.self)
        // It cannot be told whether the last label is "no object".
        #expect(!Catalog.decoders.contains { $0.recognizes(signature(100, 80, labels: 80)) })
        let boxes = try Tensor([0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5] as [Float], shape: [1, 2, 4])
        let logits = try Tensor([1, 3, 0, 0, 0, 5] as [Float], shape: [1, 2, 3])
        let softmax = try DETRDecoder(signature(2, 3, labels: 2), DetectionConfiguration())
            .candidates(in: [logits, boxes], inputSize: Self.size, above: 0.5)
        #expect(softmax.count == 1)
        let sum = exp(1.0) + exp(3.0) + 1
        expect(softmax[0], [0.25, 0.25, 0.75, 0.75], Float(exp(3.0) / sum), class: 1)
        // As many pairs as queries, the best first: (1, 2) and (0, 1).
        let independent = try RTDETRDecoder(signature(2, 3, labels: 3), DetectionConfiguration())
            .candidates(in: [logits, boxes], inputSize: Self.size, above: 0.5)
        #expect(independent.count == 2)
        expect(independent[0], [0, 0, 0.5, 0.5], Float(1 / (1 + exp(-5.0))), class: 2)
        expect(independent[1], [0.25, 0.25, 0.75, 0.75], Float(1 / (1 + exp(-3.0))), class: 1)
        #expect(throws: RecordError.self) {
            try softmax.isEmpty
                ? []
                : DETRDecoder(signature(2, 3, labels: 2), DetectionConfiguration())
                    .candidates(in: [logits, logits], inputSize: Self.size, above: 0.5)
        }
    }

    @Test("PicoDet: edges are means of distributions, also where strides do not divide the picture")
    func picoDet() throws {
        // 8 × 4, 4 × 2, 2 × 1 and 1 × 1 cells; 8 bins.
        let counts = [32, 8, 2, 1]
        let outputs = counts.map { ("scores\($0)", [1, $0, 2]) } + counts.map { ("distances\($0)", [1, $0, 32]) }
        let signature = signature(outputs)
        #expect(try decoder(of: signature) == PicoDetDecoder.self)
        var tensors = try outputs.map { try Tensor(zeros: .float32, shape: $0.1) }
        // Stride 16, row 1, column 2: the middle (40, 24).
        var scores = [Float](repeating: 0, count: 16)
        scores[(4 + 2) * 2 + 1] = 0.75
        // Left bin 1 alone, top bins 0 and 1 alike, right all bins alike (3.5), bottom bin 0 alone.
        var numbers = [Float](repeating: 0, count: 8 * 32)
        let start = (4 + 2) * 32
        numbers[start + 1] = 200
        (numbers[start + 8], numbers[start + 9]) = (200, 200)
        numbers[start + 24] = 200
        tensors[1] = try Tensor(scores, shape: [1, 8, 2])
        tensors[5] = try Tensor(numbers, shape: [1, 8, 32])
        let found = try PicoDetDecoder(signature, DetectionConfiguration())
            .candidates(in: tensors, inputSize: Self.size, above: 0.5)
        #expect(found.count == 1)
        expect(found[0], [24 / 64, 16 / 32, 96 / 64, 24 / 32], 0.75, class: 1)
    }

    @Test("PaddleDetection's rows begin with the class; their number may be less")
    func paddle() throws {
        let signature = DetectorSignature(
            model: "made.onnx",
            outputs: [
                .init(name: "boxes", shape: [nil, 6], elementType: .float32),
                .init(name: "count", shape: [nil], elementType: .int32),
            ], inputSize: Self.size)
        #expect(try decoder(of: signature) == PaddleDetectionDecoder.self)
        let rows = try Tensor([4, 0.75, 16, 8, 48, 24, 1, 0.9, 0, 0, 8, 8] as [Float], shape: [2, 6])
        let decoder = try PaddleDetectionDecoder(signature, DetectionConfiguration())
        let found = try decoder.candidates(
            in: [rows, Tensor([Int32(1)], shape: [1])], inputSize: Self.size, above: 0.5)
        #expect(found.count == 1)
        expect(found[0], [0.25, 0.25, 0.75, 0.75], 0.75, class: 4)
        #expect(
            try decoder.candidates(in: [rows, Tensor([Int32(9)], shape: [1])], inputSize: Self.size, above: 0.5).count
                == 2)
        #expect(
            try decoder.candidates(in: [rows, Tensor([Int32(-9)], shape: [1])], inputSize: Self.size, above: 0.5)
                .isEmpty)
    }

    @Test("Inputs that follow from the picture are given for every picture of a run, in the network's own extents")
    func pictureExtents() async throws {
        let (factor, nothing) = (try Tensor([0.25] as [Float], shape: [1]), try Tensor([0] as [Float], shape: [1]))
        var graph = try Graph.build("extents") { net in
            let image = net.input("image", .float32, [.batch, 3, 32, 64])
            let sizes = net.input("orig_target_sizes", .float32, [.batch, 2])
            let quarter = sizes.multiplied(by: net.constant("quarter", factor))
            let brightness = image.globalAveragePool().reshape([0, 3]).slice(0..<1, axis: 1)
            // The picture without its left and upper quarter, in pixels of the extents that are given.
            net.output("boxes", net.concat([quarter, sizes], axis: 1).reshape([0, 1, 4]))
            let zero = brightness.multiplied(by: net.constant("none", nothing))
            net.output("labels", zero)
            net.output("scores", zero.added(to: net.constant("score", factor)).added(to: net.constant("more", factor)))
        }
        graph = try graph.seeded(1)
        let model = try Model(graph)
        #expect(DetectorSignature(model, inputSize: Self.size).takesExtents)
        let detector = try await ObjectDetector(model)
        #expect(detector.decoderName == "rt-detr-end2end")
        var prepared: [PreparedPicture] = []
        for (width, height) in [(100, 50), (30, 90)] {
            prepared.append(try await detector.pictures.prepare(FixedOutputs.gray(width, height)))
        }
        for answer in try await detector.core.answers(to: prepared) {
            let object = try #require(try answer.get().objects.first)
            #expect(object.box == NormalizedBox(x: 0.25, y: 0.25, width: 0.75, height: 0.75))
        }
    }
}
