import Apus
import Graphs
import Images
import Tensors
import Testing

/// Networks as products export them.
extension DecoderTests {
    @Test("YOLO-NAS: edges in pixels, and a box for each likely class", arguments: [false, true])
    func yoloNAS(areScoresFirst: Bool) throws {
        var outputs = [("boxes", [1, 42, 4]), ("scores", [1, 42, 3])]
        if areScoresFirst { outputs.reverse() }
        let signature = signature(outputs)
        #expect(try decoder(of: signature) == YOLONASDecoder.self)
        #expect(YOLONASDecoder.isToldByShapes(signature) != areScoresFirst)
        var (boxes, scores) = ([Float](repeating: 0, count: 42 * 4), [Float](repeating: 0, count: 42 * 3))
        boxes.replaceSubrange(20..<24, with: [16, 8, 48, 24])
        scores.replaceSubrange(15..<18, with: [0.5, 0.125, 0.75])
        var tensors = try [Tensor(boxes, shape: [1, 42, 4]), Tensor(scores, shape: [1, 42, 3])]
        if areScoresFirst { tensors.reverse() }
        let found = try YOLONASDecoder(signature, DetectionConfiguration())
            .candidates(in: tensors, inputSize: Self.size, above: 0.25)
        #expect(found.count == 2)
        expect(found[0], [0.25, 0.25, 0.75, 0.75], 0.5, class: 0)
        expect(found[1], [0.25, 0.25, 0.75, 0.75], 0.75, class: 2)
    }

    @Test("SuperGradients' format flat has the confidence before the class, unlike YOLOv7's rows")
    func yoloNASFlat() throws {
        let output = DetectorSignature.Output(name: "graph2_flat_predictions", shape: [nil, 7])
        let signature = DetectorSignature(model: "made.onnx", outputs: [output], inputSize: Self.size)
        #expect(try decoder(of: signature) == YOLONASFlatDecoder.self)
        let rows: [Float] = [0, 16, 8, 48, 24, 0.75, 3, 0, 0, 0, 8, 8, 0.125, 1]
        let found = try YOLONASFlatDecoder(signature, DetectionConfiguration())
            .candidates(in: [Tensor(rows, shape: [2, 7])], inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [0.25, 0.25, 0.75, 0.75], 0.75, class: 3)
    }

    @Test("SuperGradients' format batch: the number of boxes is respected")
    func yoloNASBatch() throws {
        let shapes: [(String, [Int], ElementType)] = [
            ("graph2_num_predictions", [1, 1], .int64), ("graph2_pred_boxes", [1, 2, 4], .float32),
            ("graph2_pred_scores", [1, 2], .float32), ("graph2_pred_classes", [1, 2], .int64),
        ]
        let signature = DetectorSignature(
            model: "made.onnx", outputs: shapes.map { .init(name: $0.0, shape: $0.1, elementType: $0.2) },
            inputSize: Self.size)
        #expect(try decoder(of: signature) == YOLONASBatchDecoder.self)
        #expect(YOLONASBatchDecoder.isToldByNames(signature))
        let tensors = try [
            Tensor([1] as [Int64], shape: [1, 1]),
            Tensor([16, 8, 48, 24, 0, 0, 8, 8] as [Float], shape: [1, 2, 4]),
            Tensor([0.75, 0.5] as [Float], shape: [1, 2]), Tensor([3, 1] as [Int64], shape: [1, 2]),
        ]
        let found = try YOLONASBatchDecoder(signature, DetectionConfiguration())
            .candidates(in: tensors, inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [0.25, 0.25, 0.75, 0.75], 0.75, class: 3)
    }

    @Test("EfficientDet's rows begin with the picture, from the top, and classes count from 1")
    func efficientDet() throws {
        let signature = signature([("detections:0", [1, 100, 7])])
        #expect(try decoder(of: signature) == EfficientDetDecoder.self)
        var rows = [Float](repeating: 0, count: 700)
        rows.replaceSubrange(7..<14, with: [0, 8, 16, 24, 48, 0.75, 18])
        let found = try EfficientDetDecoder(signature, DetectionConfiguration())
            .candidates(in: [Tensor(rows, shape: [1, 100, 7])], inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [0.25, 0.25, 0.75, 0.75], 0.75, class: 17)
    }

    /// The eight outputs of TensorFlow's detection API, by name.
    private static let detectionAPI: [(name: String, shape: [Int], numbers: [Float])] = [
        ("detection_anchor_indices", [1, 2], [7, 8]),
        ("detection_boxes", [1, 2, 4], [0.25, 0.25, 0.75, 0.5, 0, 0, 1, 1]),
        ("detection_classes", [1, 2], [18, 2]), ("detection_multiclass_scores", [1, 2, 3], [0, 0, 1, 0, 1, 0]),
        ("detection_scores", [1, 2], [0.75, 0.5]), ("num_detections", [1], [1]),
        ("raw_detection_boxes", [1, 5, 4], [Float](repeating: 0, count: 20)),
        ("raw_detection_scores", [1, 5, 3], [Float](repeating: 0, count: 15)),
    ]

    @Test("TensorFlow's detection API: its names tell the outputs, and the background is class 0")
    func detectionAPI() throws {
        let signature = signature(Self.detectionAPI.map { ($0.name, $0.shape) })
        #expect(try decoder(of: signature) == SSDDecoder.self && SSDDecoder.isToldByNames(signature))
        let tensors = try Self.detectionAPI.map { try Tensor($0.numbers, shape: $0.shape) }
        let found = try SSDDecoder(signature, DetectionConfiguration())
            .candidates(in: tensors, inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [0.25, 0.25, 0.5, 0.75], 0.75, class: 17)
    }

    @Test("TensorFlow Lite's networks of TensorFlow 2 give scores first and classes last")
    func secondOrder() throws {
        let shapes = [[1, 2], [1, 2, 4], [1], [1, 2]]
        let signature = signature(shapes.enumerated().map { ("StatefulPartitionedCall:\($0)", $1) })
        #expect(try decoder(of: signature) == SSDDecoder.self)
        let numbers: [[Float]] = [[0.75, 0.5], [0.25, 0.25, 0.75, 0.5, 0, 0, 1, 1], [1], [17, 2]]
        let tensors = try zip(numbers, shapes).map { try Tensor($0, shape: $1) }
        let found = try SSDDecoder(signature, DetectionConfiguration())
            .candidates(in: tensors, inputSize: Self.size, above: 0.25)
        #expect(found.count == 1)
        expect(found[0], [0.25, 0.25, 0.5, 0.75], 0.75, class: 17)
    }

    @Test("Networks that take pixels get them, whatever the family's numbers are", arguments: [true, false])
    func pixels(areIntegers: Bool) throws {
        var graph = Graph(name: "made")
        let image = graph.addValue(
            "image", elementType: areIntegers ? .uint8 : .float32, shape: [1, 32, 64, 3])
        graph.inputs = [image]
        for (name, shape, numbers) in Self.detectionAPI {
            let id = graph.addValue(name)
            graph.initializers[id] = try Tensor(numbers, shape: shape)
            graph.outputs.append(id)
        }
        let steps = try #require(
            try ObjectDetector.customaryPreprocessing(of: Model(graph), DetectionConfiguration()))
        #expect(steps.scale == (areIntegers ? 1 : 1 / 127.5) && steps.mean == (areIntegers ? [0] : [1]))
    }

    @Test("Where several decoders fit, the first is taken, and the others are named")
    func severalFit() throws {
        var graph = Graph(name: "made")
        graph.inputs = [graph.addValue("image", elementType: .float32, shape: [1, 3, 32, 64])]
        for (name, extent) in [("a", 3), ("b", 4)] {
            let id = graph.addValue(name)
            graph.initializers[id] = try Tensor(zeros: .float32, shape: [1, 42, extent])
            graph.outputs.append(id)
        }
        let reading = "decoder yolo-nas, told by the outputs"
        let others = "; ssd would fit, too, and --decoder names one"
        #expect(try DetectTask.reading(of: Model(graph)) == reading + others)
        graph.outputs.reverse()
        #expect(try DetectTask.reading(of: Model(graph)) == reading)
    }

    @Test("Ultra-Light faces: edges in fractions, and the background's probability first")
    func ultraFace() throws {
        let size = ImageSize(width: 320, height: 240)
        let signature = signature([("scores", [1, 4420, 2]), ("boxes", [1, 4420, 4])], size: size)
        #expect(try decoder(of: signature) == UltraFaceDecoder.self)
        #expect(UltraFaceDecoder.isToldByShapes(signature))
        var (scores, boxes) = ([Float](repeating: 0, count: 8840), [Float](repeating: 0, count: 17680))
        scores.replaceSubrange(8800..<8804, with: [0.25, 0.75, 0.5, 0.5])
        boxes.replaceSubrange(17600..<17604, with: [0.25, 0.125, 0.5, 0.75])
        let tensors = try [Tensor(scores, shape: [1, 4420, 2]), Tensor(boxes, shape: [1, 4420, 4])]
        let decoder = try UltraFaceDecoder(signature, DetectionConfiguration())
        let found = try decoder.candidates(in: tensors, inputSize: size, above: 0.7)
        #expect(found.count == 1)
        expect(found[0], [0.25, 0.125, 0.5, 0.75], 0.75, class: 0)
        #expect(throws: RecordError.self) {
            try decoder.candidates(in: tensors, inputSize: Self.size, above: 0.7)
        }
    }

    @Test("Inputs larger than any picture tell no decoder", arguments: [1 << 20, 1 << 40, Int.max])
    func hugeInputs(side: Int) {
        let size = ImageSize(width: side, height: side)
        for shapes in [[[1, 42, 7]], [[1, 42, 4], [1, 42, 2]], [[1, 84, 4], [1, 84, 2], [1, 84, 10]]] {
            let signature = signature(shapes.enumerated().map { ("output\($0)", $1) }, size: size)
            for decoder in Catalog.decoders {
                #expect(!decoder.recognizes(signature) || signature.inputSize == nil, "\(decoder.name)")
            }
        }
        let grids = [32, 8, 2, 1].map { [1, $0, 2] } + [32, 8, 2, 1].map { [1, $0, 32] }
        #expect(!PicoDetDecoder.recognizes(signature(grids.map { ("grid", $0) }, size: size)))
    }

    private func expectPose(_ group: PointGroup) {
        #expect(group.confidence == 0.75 && group.box?.classIndex == 0 && group.points.count == 2)
        if let box = group.box { expect(box, [0.25, 0.25, 0.75, 0.75], 0.75, class: 0) }
        #expect(group.points.first == PointGroup.Point(x: 0.5, y: 0.25, confidence: 0.5))
        #expect(group.points.last == PointGroup.Point(x: 0.25, y: 0.75, confidence: 1))
    }

    @Test("YOLO-NAS-Pose in the format flat, also of one person and of none")
    func yoloNASPoseFlat() throws {
        let output = DetectorSignature.Output(name: "graph2_flat_predictions", shape: [nil, 12])
        let signature = DetectorSignature(model: "made.onnx", outputs: [output], inputSize: Self.size)
        #expect(YOLONASPoseDecoder.isToldByNames(signature) && !YOLONASFlatDecoder.recognizes(signature))
        let decoder = try YOLONASPoseDecoder(signature, DetectionConfiguration())
        let person: [Float] = [0, 16, 8, 48, 24, 0.75, 32, 8, 0.5, 16, 24, 1]
        for tensor in try [Tensor(person, shape: [12]), Tensor(person, shape: [1, 12])] {
            let found = try decoder.groups(in: [tensor], inputSize: Self.size, above: 0)
            #expect(found.count == 1)
            found.forEach(expectPose)
        }
        let none = try decoder.groups(in: [Tensor([] as [Float], shape: [0, 12])], inputSize: Self.size, above: 0)
        #expect(none.isEmpty)
        for damaged in try [Tensor(person, shape: [2, 6]), Tensor(person + [0], shape: [13])] {
            #expect(throws: RecordError.self) { try decoder.groups(in: [damaged], inputSize: Self.size, above: 0) }
        }
    }

    @Test("YOLO-NAS-Pose in the format batch counts its people")
    func yoloNASPoseBatch() throws {
        let shapes: [(String, [Int], ElementType)] = [
            ("num_predictions", [1, 1], .int64), ("post_nms_boxes", [1, 2, 4], .float32),
            ("post_nms_scores", [1, 2], .float32), ("post_nms_joints", [1, 2, 2, 3], .float32),
        ]
        let signature = DetectorSignature(
            model: "made.onnx", outputs: shapes.map { .init(name: $0.0, shape: $0.1, elementType: $0.2) },
            inputSize: Self.size)
        #expect(YOLONASPoseDecoder.isToldByNames(signature))
        #expect(!Catalog.decoders.contains { $0.recognizes(signature) })
        let decoder = try YOLONASPoseDecoder(signature, DetectionConfiguration())
        func tensors(_ count: Int64) throws -> [Tensor] {
            try [
                Tensor([count], shape: [1]), Tensor([16, 8, 48, 24, 0, 0, 0, 0] as [Float], shape: [2, 4]),
                Tensor([0.75, 0] as [Float], shape: [2]),
                Tensor([32, 8, 0.5, 16, 24, 1, 0, 0, 0, 0, 0, 0] as [Float], shape: [2, 2, 3]),
            ]
        }
        let found = try decoder.groups(in: tensors(1), inputSize: Self.size, above: 0)
        #expect(found.count == 1)
        found.forEach(expectPose)
        for (count, expected) in [(Int64.max, 2), (-1, 0), (0, 0)] {
            #expect(try decoder.groups(in: tensors(count), inputSize: Self.size, above: 0).count == expected)
        }
        #expect(throws: RecordError.self) {
            try decoder.groups(in: Array(tensors(1).dropLast()), inputSize: Self.size, above: 0)
        }
    }
}
