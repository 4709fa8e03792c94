import Apus
import Images
import TestSupport
import Testing

@Suite("Landmarks")
struct LandmarkDetectorTests {
    private typealias Output = FixedOutputs.Output

    @Test("MediaPipe's faces have 468 points in the picture; without a face there are none, but the confidence")
    func face() async throws {
        let points = (0..<1404).map { Float($0 % 64) }
        func model(_ logit: Float) throws -> Model {
            try FixedOutputs.model(
                [Output("a", [1, 1, 1404], points), Output("b", [1, 1, 1], [logit])],
                metadata: ["name": "Face landmarks detection"], isChannelsLast: true)
        }
        let network = try model(3)
        #expect(network.purpose.task == .landmarks)
        // The picture lies in columns 16 to 48 of the input.
        let answer = try await LandmarkDetector(network).predict(FixedOutputs.gray(32, 64))
        #expect(answer.points.count == 468 && answer.imageSize == ImageSize(width: 32, height: 64))
        #expect(try abs(#require(answer.confidence) - 0.9525741) < 1e-5)
        #expect(answer.points[1] == Keypoint(x: (3.0 - 16) / 32, y: 4.0 / 64, z: 5.0 / 32))
        let none = try await LandmarkDetector(model(-3)).predict(FixedOutputs.gray(32, 64))
        #expect(none.points.isEmpty && none.confidence.map { $0 < 0.1 } ?? false)
    }

    @Test("MediaPipe's eyes are told by the names of the outputs")
    func iris() async throws {
        let outputs = [
            Output("output_eyes_contours_and_brows", [213], (0..<213).map { Float($0) / 4 }),
            Output("output_iris", [15], (0..<15).map { Float($0) }),
        ]
        let model = try FixedOutputs.model(outputs, isChannelsLast: true)
        #expect(model.purpose.task == .landmarks)
        let answer = try await LandmarkDetector(model).predict(FixedOutputs.gray(64, 64))
        #expect(answer.points.count == 76 && answer.confidence == nil)
        #expect(answer["iris_1"] == Keypoint(name: "iris_1", x: 3.0 / 64, y: 4.0 / 64, z: 5.0 / 64))
    }

    @Test("Coordinates are pixels or fractions as one says, and nothing is assumed", arguments: [[8], [4, 2]])
    func regression(_ shape: [Int]) async throws {
        let model = try FixedOutputs.model([Output("landmarks", shape, [0, 16, 32, 64, 8, 8, 4, 2])])
        #expect(model.purpose.task == nil && model.purpose.candidates.contains(.landmarks))
        await #expect(throws: ApusError.self) { try await LandmarkDetector(model) }
        var configuration = DetectionConfiguration()
        configuration.pointUnits = .pixels
        let pixels = try await LandmarkDetector(model, configuration: configuration).predict(FixedOutputs.gray(64, 64))
        #expect(
            pixels.points.map(\.x) == [0, 0.5, 0.125, 0.0625] && pixels.points.map(\.y) == [0.25, 1, 0.125, 0.03125])
        configuration.pointUnits = .normalized
        let fractions = try await LandmarkDetector(model, configuration: configuration).predict(FixedOutputs.gray(9, 9))
        #expect(fractions.points.map(\.x) == [0, 32, 8, 4])
        configuration.decoder = "yolo-pose"
        await #expect(throws: ApusError.self) { try await LandmarkDetector(model, configuration: configuration) }
    }

    @Test("Requests give the points of a picture")
    func requests() async throws {
        let model = try FixedOutputs.model([Output("y", [2, 3], [8, 8, 8, 16, 16, 16])])
        var configuration = DetectionConfiguration()
        configuration.pointUnits = .pixels
        let detector = try await LandmarkDetector(model, configuration: configuration)
        let answer = try await ImageRequestHandler(try FixedOutputs.gray(64, 64)).perform(
            PredictionRequest(detector))
        #expect(answer.points == [Keypoint(x: 0.125, y: 0.125, z: 0.125), Keypoint(x: 0.25, y: 0.25, z: 0.25)])
    }
}
