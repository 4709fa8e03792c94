import Apus
import Foundation
import Images
import TestSupport
import Testing

/// Detectors of turned boxes. Numbers are those of `batch_probiou`, `TorchNMS.fast_nms` and `scale_boxes` of
/// https://github.com/ultralytics/ultralytics, version 8.4.190.
@Suite("Turned boxes")
struct RotatedBoxTests {
    /// Boxes with falling confidence: center, width, height and angle, in an input of 64 × 64 pixels.
    private static let boxes: [[Float]] = [
        [32, 32, 40, 20, 0.3], [34, 30, 38, 22, 0.5], [32, 32, 40, 20, 1.87], [20, 48, 16, 8, 0],
        [36, 29, 36, 22, 0.6], [33, 33, 44, 18, 0.1],
    ]

    private static let candidates = boxes.enumerated().map { position, numbers in
        var candidate = ObjectCandidate(
            left: 0, top: 0, right: 1, bottom: 1, confidence: 0.9 - Float(position) / 10, classIndex: 0)
        candidate.rotated = RotatedBox(
            center: SIMD2(numbers[0], numbers[1]), width: numbers[2], height: numbers[3], angle: numbers[4])
        return candidate
    }

    @Test("The overlap is that of normal distributions")
    func similarity() throws {
        let expected: [Float] = [0.9995, 0.8144, 0.5528, 0.0367, 0.7076, 0.8478]
        let boxes = Self.candidates.compactMap(\.rotated)
        let first = RotatedBox.Covariance(boxes[0])
        for (box, expected) in zip(boxes, expected) {
            #expect(abs(boxes[0].similarity(first, to: box, RotatedBox.Covariance(box)) - expected) < 1e-4)
        }
    }

    @Test("A box is left out for any that has more confidence, also for one that is left out")
    func suppression() {
        func kept(_ threshold: Float, _ candidates: [ObjectCandidate] = Self.candidates) -> [Int] {
            NonMaximumSuppression(threshold: threshold).positions(in: candidates)
        }
        // Box 4 overlaps by 0.88 with box 1, which is left out for box 0.
        #expect(kept(0.8) == [0, 2, 3] && kept(0.7) == [0, 2, 3] && kept(0.45) == [0, 3])
        #expect(kept(0.99) == [0, 1, 2, 3, 4, 5])
        var candidates = Self.candidates
        candidates[1].classIndex = 1
        #expect(kept(0.8, candidates) == [0, 1, 2, 3, 4])
    }

    /// A network whose outputs have the first and the fourth box.
    private static func model() throws -> Model {
        var values = [Float](repeating: 0, count: 7 * 84)
        for (anchor, position) in [0, 3].enumerated() {
            let box = boxes[position]
            let column = Array(box[..<4]) + [anchor == 0 ? 0.9 : 0.1, anchor == 0 ? 0.2 : 0.8] + [box[4]]
            for (row, number) in column.enumerated() { values[row * 84 + anchor] = number }
        }
        return try FixedOutputs.model(
            [FixedOutputs.Output("output0", [7, 84], values)],
            metadata: ["task": "obb", "names": "{0: 'ship', 1: 'plane'}"])
    }

    @Test("Metadata tell the decoder, and corners are where Ultralytics puts them in the picture")
    func corners() async throws {
        let model = try Self.model()
        #expect(model.purpose.task == .detect)
        let detector = try await ObjectDetector(model)
        #expect(detector.decoderName == "yolo-obb")
        let answer = try await detector.predict(FixedOutputs.gray(100, 67))
        #expect(answer.objects.map(\.identifier) == ["ship", "plane"])
        let expected: [SIMD2<Float>] = [
            SIMD2(24.750351, 10.158586), SIMD2(84.458878, 28.628601), SIMD2(75.249650, 58.399552),
            SIMD2(15.541117, 39.929539),
        ]
        let corners = answer.objects[0].corners.map { $0 * SIMD2(100, 67) }
        #expect(corners.count == 4)
        for (corner, place) in zip(corners, expected) {
            #expect(abs(corner.x - place.x) < 1e-3 && abs(corner.y - place.y) < 1e-3, "\(corner)")
        }
        let box = answer.objects[0].box
        #expect(abs(box.x - 0.15541117) < 1e-5 && abs(box.maxX - 0.84458878) < 1e-5)
    }

    @Test("Every form of results has the corners")
    func results() async throws {
        let detector = try await ObjectDetector(try Self.model())
        let answer = try await detector.predict(FixedOutputs.gray(100, 67))
        let record = PredictionRecord(id: "a.png", answer: .success(ImageAnswer(answer)))
        func text(_ kind: SinkKind) throws -> String {
            let file = FileManager.default.temporaryDirectory.appending(path: "turned-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            var target = SinkTarget(path: file.path)
            target.options.content = .objects
            target.options.hasCorners = detector.hasCorners
            var sink = try kind.sink(target)
            try sink.write(record)
            try sink.finish()
            return try String(contentsOf: file, encoding: .utf8)
        }
        let corners = answer.objects[0].corners
        #expect(try text(.jsonLines).contains(",\"corners\":[[\(corners[0].x),\(corners[0].y)],"))
        let lines = try text(.csv).split(separator: "\r\n")
        #expect(lines[0].hasSuffix(",track,x1,y1,x2,y2,x3,y3,x4,y4,warning"))
        #expect(lines[1].hasSuffix(",,\(corners.map { "\($0.x),\($0.y)" }.joined(separator: ",")),"))
        #expect(try text(.coco).contains(",\"segmentation\":[[\(corners[0].x * 100),\(corners[0].y * 67),"))
        #expect(try text(.labelStudio).contains("\"value\":{\"rotation\":17.188"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "turned-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let content = try YOLOFolder(path: folder.path).content(of: record).map { String(decoding: $0, as: UTF8.self) }
        let numbers = corners.map { "\($0.x) \($0.y)" }.joined(separator: " ")
        #expect(content?.hasPrefix("0 \(numbers) \(answer.objects[0].confidence)") == true)
    }

    @Test("A drawing has the turned box")
    func drawing() throws {
        let image = try Image(width: 20, height: 20, pixels: [UInt8](repeating: 0, count: 1200))
        var object = RecognizedObject(
            confidence: 1, box: NormalizedBox(x: 0, y: 0, width: 1, height: 1),
            labels: [ClassificationObservation(index: 0, label: "x", confidence: 1)])
        object.corners = [SIMD2(0.5, 0.1), SIMD2(0.9, 0.5), SIMD2(0.5, 0.9), SIMD2(0.1, 0.5)]
        let drawn = try image.drawing([object])
        func isDrawn(_ x: Int, _ y: Int) -> Bool { drawn.pixels[(y * 20 + x) * 3] != 0 }
        #expect(isDrawn(18, 10) && isDrawn(10, 18) && isDrawn(14, 14) && !isDrawn(19, 19) && !isDrawn(18, 18))
    }
}
