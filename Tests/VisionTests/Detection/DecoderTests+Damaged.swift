import Apus
import Graphs
import Images
import Tensors
import TestSupport
import Testing

extension DecoderTests {
    /// Outputs of each family that its decoder recognises for pictures of 64 × 32 pixels.
    private static let families: [(name: String, shapes: [[Int]])] = {
        let cells = [32, 8, 2]
        return [
            ("yolox", [[1, 42, 7]]), ("yolov5", [[1, 126, 7]]), ("yolov8", [[1, 7, 42]]),
            ("yolo-end2end", [[1, 300, 6]]), ("yolov7-end2end", [[3, 7]]),
            ("yolo-obb-end2end", [[1, 300, 7]]),
            ("detr", [[1, 100, 5], [1, 100, 4]]), ("rt-detr", [[1, 300, 5], [1, 300, 4]]),
            ("paddle", [[5, 6], [1]]), ("ssd", [[1, 9, 4], [1, 9], [1, 9], [1]]),
            ("picodet", [32, 8, 2, 1].map { [1, $0, 2] } + [32, 8, 2, 1].map { [1, $0, 32] }),
            ("scrfd", [1, 4, 10].flatMap { extent in cells.map { [2 * $0, extent] } }),
            ("yunet", [1, 1, 4, 10].flatMap { extent in cells.map { [1, $0, extent] } }),
            ("centerface", [1, 2, 2, 10].map { [1, $0, 8, 16] }),
            ("retinaface", [4, 2, 10].map { [1, 84, $0] }),
            ("yolov3", [[1, 21, 4, 8], [1, 21, 2, 4], [1, 21, 1, 2]]),
            ("ultraface", [[1, 32 * 3 + 8 * 2 + 2 * 2 + 3, 2], [1, 119, 4]]),
            ("centernet", [[1, 3, 8, 16], [1, 2, 8, 16], [1, 2, 8, 16]]),
            ("nanodet", [[1, 43, 35]]), ("nanodet-v0", [3, 32].flatMap { extent in cells.map { [1, $0, extent] } }),
            ("yolo-nas", [[1, 42, 4], [1, 42, 3]]), ("yolo-nas-flat", [[3, 7]]),
            ("yolo-nas-batch", [[1, 1], [1, 5, 4], [1, 5], [1, 5]]), ("efficientdet", [[1, 100, 7]]),
        ]
    }()

    private func signature(of family: (name: String, shapes: [[Int]])) -> DetectorSignature {
        let names = [
            "detr": ["logits", "boxes"], "rt-detr": ["logits", "boxes"],
            "ssd": ["boxes", "classes", "scores", "count"],
            "efficientdet": ["detections"], "yolo-nas-flat": ["flat_predictions"],
        ]
        return DetectorSignature(
            model: "made.onnx",
            outputs: family.shapes.enumerated().map { index, shape in
                .init(
                    name: names[family.name]?[index] ?? "output\(index)", shape: shape,
                    elementType: shape.count == 1 || family.name == "yolo-nas-batch" && [0, 3].contains(index)
                        ? .int32 : .float32)
            }, inputSize: Self.size)
    }

    @Test("Numbers that are none are an error, and other numbers and extents an answer or an error", arguments: 0..<40)
    func damaged(seed: Int) throws {
        var generator = SplitMix64(seed: UInt64(seed))
        for family in Self.families {
            let decoder = try #require(Catalog.decoders.first { $0.name.rawValue == family.name })
            let made = try decoder.init(signature(of: family), DetectionConfiguration())
            let extremes: [Float] = [0, 1, -1, 1e38, -1e38, 1e-30, 2_147_483_648, -0.0]
            func number() -> Float {
                Bool.random(using: &generator)
                    ? Float.random(in: 0...1, using: &generator) : extremes.randomElement(using: &generator) ?? 0
            }
            func tensors(_ shapes: [[Int]]) throws -> [Tensor] {
                try shapes.map { shape in
                    try Tensor((0..<shape.reduce(1, *)).map { _ in number() }, shape: shape)
                }
            }
            // Extents and numbers as they should not be.
            var shapes = family.shapes
            let output = Int.random(in: 0..<shapes.count, using: &generator)
            let axis = Int.random(in: 0..<shapes[output].count, using: &generator)
            switch Int.random(in: 0...3, using: &generator) {
            case 0: shapes[output][axis] = max(0, shapes[output][axis] + Int.random(in: -1...1, using: &generator))
            case 1: shapes[output][axis] = 0
            case 2: shapes.remove(at: output)
            default: break
            }
            let damaged = try tensors(shapes)
            do {
                let found = try made.candidates(in: damaged, inputSize: Self.size, above: 0.5)
                #expect(found.allSatisfy { $0.classIndex >= 0 && !($0.confidence < 0.5) }, "\(family.name)")
            } catch {
                #expect(error.stage == "predict", "\(family.name): \(error)")
            }
            // One number that is none.
            var sound = try family.shapes.map { try Tensor(zeros: .float32, shape: $0) }
            var values = sound[output].elements(as: Float.self)
            let position = Int.random(in: values.indices, using: &generator)
            values[position] = [Float.nan, .infinity, -.infinity].randomElement(using: &generator) ?? .nan
            sound[output] = try Tensor(values, shape: family.shapes[output])
            #expect(throws: RecordError.self, "\(family.name), output \(output), element \(position)") {
                try made.candidates(in: sound, inputSize: Self.size, above: 0.5)
            }
        }
    }

    @Test("Rows without numbers make no poses", arguments: [0, 1, 4])
    func emptyPoses(extent: Int) {
        let signature = signature([("output0", [1, extent, 42])])
        #expect(throws: ApusError.self) { try YOLOPoseDecoder(signature, DetectionConfiguration()) }
    }
}
