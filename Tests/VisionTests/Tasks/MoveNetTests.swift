import Apus
import Graphs
import Images
import Tensors
import TestSupport
import Testing

@Suite("Poses of MoveNet")
struct MoveNetTests {
    private typealias Output = FixedOutputs.Output

    @Test("MoveNet's points are y and x in the frame")
    func single() async throws {
        var numbers = [Float](repeating: 0, count: 51)
        numbers.replaceSubrange(0..<3, with: [0.5, 0.25, 0.75])
        numbers.replaceSubrange(48..<51, with: [0.375, 0.75, 0.5])
        let model = try FixedOutputs.model([Output("output_0", [1, 17, 3], numbers)], isChannelsLast: true)
        #expect(model.purpose.task == .pose)
        #expect(model.purpose.evidence == "the outputs have the shapes of decoder movenet and no other")
        let estimator = try await PoseEstimator(model)
        #expect(estimator.decoderName == "movenet" && estimator.preprocessing.scale == 1)
        // The picture lies in rows 16 to 48 of the input.
        let pose = try #require(try await estimator.predict(FixedOutputs.gray(128, 64)).poses.first)
        #expect(pose["nose"] == Keypoint(name: "nose", x: 0.25, y: 0.5, confidence: 0.75))
        #expect(pose["right_ankle"] == Keypoint(name: "right_ankle", x: 0.75, y: 0.25, confidence: 0.5))
    }

    @Test("MoveNet's people have boxes, and those with more confidence come first")
    func several() async throws {
        var numbers = [Float](repeating: 0, count: 6 * 56)
        numbers.replaceSubrange(0..<3, with: [0.5, 0.25, 0.75])
        numbers.replaceSubrange(51..<56, with: [0.375, 0.125, 0.625, 0.5, 0.5])
        numbers.replaceSubrange(56 + 51..<112, with: [0.25, 0, 0.75, 1, 0.875])
        numbers.replaceSubrange(112 + 51..<168, with: [0.25, 0, 0.75, 1, 0.125])
        let model = try FixedOutputs.model([Output("output_0", [6, 56], numbers)], isChannelsLast: true)
        #expect(model.purpose.evidence == "it is of family MoveNet MultiPose, by its six rows of 17 points and a box")
        let poses = try await PoseEstimator(model).predict(FixedOutputs.gray(128, 64)).poses
        #expect(poses.map(\.confidence) == [0.875, 0.5])
        #expect(poses[1].box == NormalizedBox(x: 0.125, y: 0.25, width: 0.375, height: 0.5))
        #expect(poses[1]["nose"] == Keypoint(name: "nose", x: 0.25, y: 0.5, confidence: 0.75))
        #expect(poses[0].box == NormalizedBox(x: 0, y: 0, width: 1, height: 1))
    }

    @Test("Where a file leaves extents open, they are multiples of 32")
    func openExtents() throws {
        var graph = Graph(name: "made")
        let image = graph.addValue(
            "input", elementType: .int32, shape: Shape([.fixed(1), .symbol("h"), .symbol("w"), .fixed(3)]))
        let rows = graph.addValue("output_0", elementType: .float32, shape: [1, 6, 56])
        graph.inputs = [image]
        graph.initializers[rows] = try Tensor(zeros: .float32, shape: [1, 6, 56])
        graph.outputs = [rows]
        let model = try Model(graph).describedByFamily()
        #expect(model.familyName == "movenet-multipose")
        #expect(PoseTask.reading(of: model) == "decoder movenet-multipose, as for MoveNet MultiPose")
        #expect(model.preprocessing?.fixedOutputSize == ImageSize(width: 256, height: 256))
    }

    @Test("Numbers that make no pose are an error", arguments: [Float.nan, .infinity, 7])
    func damaged(number: Float) async throws {
        for (shape, position) in [([1, 17, 3], 2), ([6, 56], 55)] {
            var numbers = [Float](repeating: 0, count: shape.reduce(1, *))
            numbers[position] = number
            let model = try FixedOutputs.model([Output("output_0", shape, numbers)], isChannelsLast: true)
            let estimator = try await PoseEstimator(model)
            await #expect(throws: RecordError.self) { try await estimator.predict(FixedOutputs.gray(64, 64)) }
        }
    }
}
