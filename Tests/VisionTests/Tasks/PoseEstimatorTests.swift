import Apus
import Foundation
import Images
import TestSupport
import Testing

@Suite("Poses")
struct PoseEstimatorTests {
    private typealias Output = FixedOutputs.Output

    /// An output of YOLO-pose for a size of 64 × 64, which has 84 anchors, with the given columns first.
    private static func columns(_ columns: [[Float]], extent: Int) -> Output {
        var values = [Float](repeating: 0, count: extent * 84)
        for (anchor, column) in columns.enumerated() {
            for (row, number) in column.enumerated() { values[row * 84 + anchor] = number }
        }
        return Output("output0", [extent, 84], values)
    }

    private static let pose = ["task": "pose", "kpt_shape": "[2, 3]", "names": "{0: 'cat'}"]

    @Test("YOLO's poses have their boxes and points in the picture, and the worse of two that overlap is left out")
    func yolo() async throws {
        let better: [Float] = [32, 32, 16, 8, 0.9, 24, 32, 0.75, 40, 34, 0.5]
        let worse: [Float] = [33, 32, 16, 8, 0.8, 0, 0, 0, 0, 0, 0]
        let other: [Float] = [8, 32, 8, 8, 0.6, 4, 32, 0.25, 8, 28, 1]
        let outside: [Float] = [32, 4, 8, 8, 0.7, 32, 4, 1, 32, 4, 1]
        let output = Self.columns([worse, better, other, outside], extent: 11)
        let model = try FixedOutputs.model([output], metadata: Self.pose)
        #expect(
            model.purpose.task == .pose && model.purpose.evidence == "\"pose\" from \"task\" of the model's metadata")
        let estimator = try await PoseEstimator(model)
        #expect(estimator.decoderName == "yolo-pose" && estimator.minimumConfidence == 0.25)
        // The picture lies in rows 16 to 48 of the input.
        let answer = try await estimator.predict(FixedOutputs.gray(128, 64))
        #expect(answer.imageSize == ImageSize(width: 128, height: 64) && answer.poses.map(\.confidence) == [0.9, 0.6])
        let first = try #require(answer.poses.first)
        #expect(
            first.label?.identifier == "cat"
                && first.box == NormalizedBox(x: 0.375, y: 0.375, width: 0.25, height: 0.25))
        let points = [Keypoint(x: 0.375, y: 0.5, confidence: 0.75), Keypoint(x: 0.625, y: 0.5625, confidence: 0.5)]
        #expect(first.keypoints == points)
    }

    @Test("The number of points comes from metadata, names, or the extent; what does not fit is refused")
    func extents() async throws {
        func estimator(_ extent: Int, _ metadata: [String: String], names: [String]? = nil) async throws
            -> PoseEstimator
        {
            let model = try FixedOutputs.model([Self.columns([], extent: extent)], metadata: metadata)
            var configuration = model.decoding ?? DetectionConfiguration()
            configuration.keypointNames = names
            return try await PoseEstimator(model, configuration: configuration)
        }
        let people = try await estimator(56, ["task": "pose", "names": "{0: 'person'}"])
        #expect(people.pointNames.first == "nose" && people.pointNames.count == 17)
        let flat = try await estimator(
            4 + 3 + 8, ["task": "pose", "kpt_shape": "[4, 2]", "names": "{0: 'a', 1: 'b', 2: 'c'}"])
        #expect(flat.pointNames.isEmpty)
        #expect(try await estimator(9, [:], names: ["head", "tail"]).pointNames == ["head", "tail"])
        for (extent, shape) in [
            (56, "[17, 4]"), (56, "[99, 3]"), (7, "[10000, 3]"), (12, "[0, 3]"), (9, "[1, 1]"), (12, "x"),
        ] {
            await #expect(throws: ApusError.self, "\(extent) \(shape)") {
                try await estimator(extent, ["task": "pose", "kpt_shape": shape])
            }
        }
    }

    @Test("SimCC's points lie where the largest scores are, with the smaller of both as confidence")
    func simcc() async throws {
        let x: [Float] = [0, 0, 0.5, 0, 0, 0, 0, 0, 0, 0.75, 0, 0, 0, 0, 0, 0]
        let y: [Float] = [0, 1, 0, 0, 0.25, 0, 0, 0]
        let model = try FixedOutputs.model([Output("simcc_y", [2, 4], y), Output("simcc_x", [2, 8], x)])
        #expect(model.purpose.task == .pose && model.purpose.evidence.hasSuffix("that decoder simcc reads"))
        let answer = try await PoseEstimator(model).predict(FixedOutputs.gray(64, 64))
        let points = [Keypoint(x: 0.25, y: 0.25, confidence: 0.5), Keypoint(x: 0.125, y: 0, confidence: 0.25)]
        #expect(answer.poses.map(\.keypoints) == [points] && answer.poses[0].confidence == 0.375)
    }

    @Test("The place in a heat map is that of its largest number, moved by a quarter to the larger neighbor")
    func heatmaps() async throws {
        var maps = [Float](repeating: 0, count: 3 * 8 * 8)
        (maps[3 * 8 + 4], maps[3 * 8 + 5], maps[2 * 8 + 4]) = (1, 0.5, 0.25)
        (maps[64 + 7], maps[64 + 6]) = (0.5, 0.25)
        for name in ["heatmaps", "y"] {
            let model = try FixedOutputs.model([Output(name, [3, 8, 8], maps)])
            #expect(model.purpose.task == (name == "y" ? nil : .pose) && model.purpose.candidates.contains(.pose))
            let answer = try await PoseEstimator(model).predict(FixedOutputs.gray(64, 64))
            let points = answer.poses.first?.keypoints ?? []
            #expect(points.map(\.x) == [4.25 / 8, 7.0 / 8, 0] && points.map(\.y) == [2.75 / 8, 0, 0])
            #expect(points.map(\.confidence) == [1, 0.5, 0])
        }
    }

    @Test("Maps with channels last are read likewise")
    func channelsLast() async throws {
        var maps = [Float](repeating: 0, count: 4 * 4 * 2)
        (maps[(1 * 4 + 2) * 2], maps[(3 * 4 + 0) * 2 + 1]) = (1, 1)
        let model = try FixedOutputs.model([Output("heatmap", [4, 4, 2], maps)], isChannelsLast: true)
        let points = try await PoseEstimator(model).predict(FixedOutputs.gray(64, 64)).poses[0].keypoints
        #expect(points.map(\.x) == [0.5, 0] && points.map(\.y) == [0.25, 0.75])
    }

    @Test("MediaPipe's points of a person are moved by heat maps where these are sure, and named")
    func mediapipePose() async throws {
        var points = [Float](repeating: 0, count: 195)
        points.replaceSubrange(0..<5, with: [32, 16, -8, 0, 100])
        points.replaceSubrange(5..<10, with: [32, 16, 0, 3, 0])
        var maps = [Float](repeating: -100, count: 16 * 16 * 39)
        // The first point lies in cell (8, 4): both cells beside it count the same.
        for column in [9, 10] { maps[(4 * 16 + column) * 39] = 100 }
        for column in [9, 10] { maps[(4 * 16 + column) * 39 + 1] = -1 }
        let outputs = [
            Output("a", [195], points), Output("b", [1], [0.75]), Output("c", [16, 16, 39], maps),
            Output("d", [117], [Float](repeating: 0, count: 117)),
        ]
        let model = try FixedOutputs.model(outputs, isChannelsLast: true)
        let evidence = "the outputs have the shapes of decoder mediapipe-pose and no other"
        #expect(model.purpose.task == .pose && model.purpose.evidence == evidence)
        // Without heat maps, points of something else could have the same shapes.
        let plain = try FixedOutputs.model(Array(outputs.prefix(2)), isChannelsLast: true)
        #expect(plain.purpose.task == nil && plain.purpose.candidates.contains(.pose))
        let answer = try await PoseEstimator(model).predict(FixedOutputs.gray(64, 64))
        let pose = try #require(answer.poses.first)
        #expect(pose.confidence == 0.75 && pose.keypoints.count == 33 && answer.skeleton.count == 35)
        #expect(pose["nose"] == Keypoint(name: "nose", x: 9.5 / 16, y: 0.25, z: -0.125, confidence: 0.5))
        #expect(pose["left_eye_inner"]?.x == 0.5 && pose.keypoints[32].name == "right_foot_index")
        #expect(try await PoseEstimator(model, minimumConfidence: 0.8).predict(FixedOutputs.gray(64, 64)).poses.isEmpty)
    }

    @Test("MediaPipe's hands say which hand they are, and coordinates that are not numbers are an error of the picture")
    func mediapipeHand() async throws {
        func model(_ points: [Float]) throws -> Model {
            try FixedOutputs.model(
                [
                    Output("a", [63], points), Output("b", [1], [0.9]), Output("c", [1], [0.25]),
                    Output("d", [63], points),
                ],
                metadata: ["name": "HandLandmarkDetector"], isChannelsLast: true)
        }
        let network = try model((0..<63).map(Float.init))
        #expect(network.purpose.task == .pose)
        let answer = try await PoseEstimator(network).predict(FixedOutputs.gray(64, 64))
        let hand = try #require(answer.poses.first)
        #expect(hand.label?.label == "Left" && hand.label?.confidence == 0.75 && hand.keypoints.count == 21)
        #expect(hand["thumb_cmc"] == Keypoint(name: "thumb_cmc", x: 3.0 / 64, y: 4.0 / 64, z: 5.0 / 64 / 0.4))
        let broken = try await PoseEstimator(model([Float](repeating: .infinity, count: 63)))
        await #expect(throws: RecordError.self) { try await broken.predict(FixedOutputs.gray(64, 64)) }
    }

    @Test("Names beside a model replace those of the family, and lines go with them")
    func names() async throws {
        let model = try FixedOutputs.model([Output("heatmap", [17, 4, 4], [Float](repeating: 1, count: 272))])
        var configuration = DetectionConfiguration()
        let plain = try await PoseEstimator(model).predict(FixedOutputs.gray(64, 64))
        #expect(plain.poses[0]["left_wrist"] != nil && plain.skeleton.count == 19)
        configuration.keypointNames = (0..<17).map { "p\($0)" }
        configuration.skeleton = [[0, 16]]
        let answer = try await PoseEstimator(model, configuration: configuration).predict(FixedOutputs.gray(64, 64))
        #expect(answer.poses[0]["p16"] != nil && answer.skeleton == [[0, 16]])
    }

    @Test(
        "Outputs of other forms are refused by name, and drawings bear points far outside",
        arguments: [[5, 7], [1, 2, 3, 4]])
    func refused(_ shape: [Int]) async throws {
        let count = shape.reduce(1, *)
        let model = try FixedOutputs.model([Output("y", shape, [Float](repeating: 0, count: count))])
        await #expect(throws: ApusError.self) { try await PoseEstimator(model) }
        let image = try Image(width: 8, height: 8, pixels: [UInt8](repeating: 128, count: 192))
        let huge = LandmarkDetector.drawn([
            Keypoint(x: 1e30, y: -1e30), Keypoint(x: .nan, y: 0), Keypoint(x: 1.5, y: -0.5),
        ])
        #expect(try image.drawing(huge).size == image.size)
        let inside = LandmarkDetector.drawn([Keypoint(x: 0.25, y: 0.25), Keypoint(x: 0.75, y: 0.75)])
        #expect(try image.drawing(inside) != image)
    }

    @Test("Requests give the poses of a picture")
    func requests() async throws {
        let model = try FixedOutputs.model([Output("heatmap", [2, 4, 4], [Float](repeating: 1, count: 32))])
        let estimator = try await PoseEstimator(model)
        let handler = try ImageRequestHandler(try FixedOutputs.gray(64, 32))
        let poses = try await handler.perform(PredictionRequest(estimator)).poses
        #expect(poses.count == 1 && poses[0].keypoints.count == 2)
    }
}

extension LandmarkDetector {
    /// Points with lines between all of them.
    fileprivate static func drawn(_ points: [Keypoint]) -> LandmarkDetection {
        LandmarkDetection(points, confidence: nil, imageSize: nil, skeleton: [[0, 1], [0, 2], [1, 9], [2]])
    }
}
