import Apus
import Foundation
import Images
import TestSupport
import Testing

/// Exports of Ultralytics that end with poses, objects with masks and turned boxes themselves. Their answers are those
/// of exports that give every cell.
@Suite("Exports that end with the objects themselves")
struct EndToEndTests {
    private typealias Output = FixedOutputs.Output

    /// A list of 20 rows, the given ones first.
    private static func list(_ rows: [[Float]], extent: Int) -> Output {
        let filled = rows.flatMap { $0 + [Float](repeating: 0, count: extent - $0.count) }
        return Output("output0", [20, extent], filled + [Float](repeating: 0, count: (20 - rows.count) * extent))
    }

    @Test("Poses have their boxes and points in the picture, and what overlaps is kept")
    func poses() async throws {
        let rows: [[Float]] = [
            [24, 28, 40, 36, 0.9, 0, 24, 32, 0.75, 40, 34, 0.5], [24, 28, 40, 36, 0.8, 0, 24, 32, 0.75, 40, 34, 0.5],
            [4, 28, 12, 36, 0.1, 0, 4, 32, 0.25, 8, 28, 1],
        ]
        let model = try FixedOutputs.model(
            [Self.list(rows, extent: 12)], metadata: ["task": "pose", "kpt_shape": "[2, 3]", "names": "{0: 'cat'}"])
        let estimator = try await PoseEstimator(model)
        #expect(estimator.decoderName == "yolo-pose-end2end" && estimator.minimumConfidence == 0.25)
        let answer = try await estimator.predict(FixedOutputs.gray(128, 64))
        #expect(answer.poses.map(\.confidence) == [0.9, 0.8])
        let first = try #require(answer.poses.first)
        #expect(first.label?.identifier == "cat")
        #expect(first.box == NormalizedBox(x: 0.375, y: 0.375, width: 0.25, height: 0.25))
        let points = [Keypoint(x: 0.375, y: 0.5, confidence: 0.75), Keypoint(x: 0.625, y: 0.5625, confidence: 0.5)]
        #expect(first.keypoints == points)
    }

    @Test("The numbers of points are checked")
    func extents() async throws {
        func estimator(_ extent: Int, _ metadata: [String: String]) async throws -> PoseEstimator {
            let model = try FixedOutputs.model([Self.list([], extent: extent)], metadata: metadata)
            var configuration = model.decoding ?? DetectionConfiguration()
            configuration.decoder = "yolo-pose-end2end"
            return try await PoseEstimator(model, configuration: configuration)
        }
        #expect(try await estimator(57, ["task": "pose", "names": "{0: 'person'}"]).pointNames.count == 17)
        #expect(try await estimator(14, ["task": "pose", "kpt_shape": "[4, 2]"]).pointNames.isEmpty)
        await #expect(throws: ApusError.self) { try await estimator(14, ["task": "pose", "kpt_shape": "[4, 3]"]) }
        await #expect(throws: ApusError.self) { try await estimator(6, ["task": "pose"]) }
    }

    @Test("Masks are the sums of the prototypes within the boxes")
    func masks() async throws {
        let left: [Float] = (0..<16).map { $0 % 4 < 2 ? 1 : -1 }
        let upper: [Float] = (0..<16).map { $0 < 8 ? 1 : -1 }
        let rows: [[Float]] = [
            [0, 0, 64, 64, 0.9, 0, 1, 0], [40, 8, 56, 24, 0.5, 1, 0, 1], [0, 0, 64, 64, 0.2, 0, 1, 0],
        ]
        let model = try FixedOutputs.model(
            [Self.list(rows, extent: 8), Output("output1", [2, 4, 4], left + upper)],
            metadata: ["task": "segment", "names": "{0: 'cat', 1: 'dog'}"])
        let answer = try await InstanceSegmenter(model).predict(FixedOutputs.gray(8, 8))
        #expect(answer.instances.map(\.identifier) == ["cat", "dog"])
        #expect(answer.instances[0].runs.counts == [0, 32, 32] && answer.instances[0].area == 32)
        #expect(answer.instances[1].runs.counts == [41, 2, 6, 2, 13])
        #expect(answer.instances[1].box == NormalizedBox(x: 0.625, y: 0.125, width: 0.25, height: 0.25))
    }

    @Test("Turned boxes have the corners of exports that give every cell", arguments: [true, false])
    func turned(_ isNamed: Bool) async throws {
        let box: [Float] = [32, 32, 40, 20]
        var columns = [Float](repeating: 0, count: 6 * 84)
        for (row, number) in (box + [0.9, 0.3]).enumerated() { columns[row * 84] = number }
        let names = "{0: 'ship'}"
        let every = try FixedOutputs.model(
            [Output("output0", [6, 84], columns)], metadata: ["task": "obb", "names": names])
        let ended = try FixedOutputs.model(
            [Self.list([box + [0.9, 0, 0.3]], extent: 7)],
            metadata: isNamed ? ["task": "obb", "names": names] : ["names": names])
        let expected = try await ObjectDetector(every).predict(FixedOutputs.gray(64, 64)).objects
        let detector = try await ObjectDetector(ended)
        let found = try await detector.predict(FixedOutputs.gray(64, 64)).objects
        #expect(detector.decoderName == "yolo-obb-end2end")
        #expect(found.count == 1 && found.map(\.corners) == expected.map(\.corners) && found[0].corners.count == 4)
        #expect(found.map(\.box) == expected.map(\.box) && found.map(\.identifier) == ["ship"])
    }

    @Test("Damaged rows are errors of their pictures")
    func damaged() async throws {
        for (position, number) in [(4, Float(7)), (5, 0.5), (5, 1e12), (8, .nan), (0, .infinity)] {
            var row: [Float] = [24, 28, 40, 36, 0.9, 0, 24, 32, 0.75, 40, 34, 0.5]
            row[position] = number
            let model = try FixedOutputs.model([Self.list([row], extent: 12)], metadata: ["task": "pose"])
            await #expect(throws: (any Error).self, "\(position) \(number)") {
                try await PoseEstimator(model).predict(FixedOutputs.gray(64, 64))
            }
        }
    }
}
