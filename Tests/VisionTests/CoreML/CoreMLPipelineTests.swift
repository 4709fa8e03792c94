import Apus
import Foundation
import TestSupport
import Testing

/// The pipelines of `make_coreml_pipeline_fixtures.py`: detectors of red and green squares, and classifiers of colors.
@Suite("Pipelines of Core ML that begin with a network")
struct CoreMLPipelineTests {
    static let detectors = ["Squares.mlmodel", "SquaresOlder.mlmodel", "SquaresProgram.mlpackage"]
    static let scene = ImageSource.file(path("scene.png"))

    private static func path(_ name: String) -> String {
        CoreMLLayerCase.folder.appending(path: "pipelines/\(name)").path
    }

    private func isClose(_ found: NormalizedBox, _ x: Float, _ y: Float, _ width: Float, _ height: Float) -> Bool {
        zip([found.x, found.y, found.width, found.height], [x, y, width, height]).allSatisfy { abs($0 - $1) < 1e-5 }
    }

    @Test("The best of overlapping boxes stays, with the labels and thresholds of the model", arguments: detectors)
    func detects(_ file: String) async throws {
        let model = try Model(contentsOf: Self.path(file))
        #expect(model.findsObjects)
        let detector = try await ObjectDetector(model)
        #expect(detector.decoderName == "coreml")
        #expect(detector.configuration.minimumConfidence == 0.5)
        #expect(detector.configuration.suppression == NonMaximumSuppression(threshold: 0.4))
        let objects = try await detector.predict(Self.scene).objects
        #expect(objects.map(\.identifier) == ["red", "green"])
        #expect(objects.map { ($0.confidence * 1000).rounded() } == [1000, 902])
        try #require(objects.count == 2)
        #expect(isClose(objects[0].box, 0.25, 0.25, 0.125, 0.25))
        #expect(isClose(objects[1].box, 0.625, 0.5, 0.125, 0.25))
        let handler = try ImageRequestHandler(Self.scene)
        #expect(try await handler.perform(PredictionRequest(detector)).objects == objects)
    }

    @Test("Thresholds of a configuration replace those of the model")
    func thresholds() async throws {
        var configuration = DetectionConfiguration()
        configuration.minimumConfidence = 0.85
        configuration.suppression.threshold = 1
        let detector = try await ObjectDetector(
            Model(contentsOf: Self.path("Squares.mlmodel")), configuration: configuration)
        #expect(try await detector.predict(Self.scene).objects.map(\.identifier) == ["red", "green", "red"])
    }

    @Test("As named features they take a picture and perhaps thresholds, and give what the pipeline gives")
    func features() async throws {
        let session = try await FeatureSession(FeatureModel(contentsOf: Self.path("Squares.mlmodel")))
        let outputs = try await session.predict(images: ["image": Self.scene])
        #expect(outputs.keys.sorted() == ["confidence", "coordinates"])
        #expect(outputs["coordinates"]?.numbers == [0.3125, 0.375, 0.125, 0.25, 0.6875, 0.625, 0.125, 0.25])
        let strict = try await session.predict(["confidenceThreshold": 0.95], images: ["image": Self.scene])
        #expect(strict["coordinates"]?.numbers?.count == 4)
        let lenient = try await session.predict(["iouThreshold": 1], images: ["image": Self.scene])
        #expect(lenient["coordinates"]?.numbers?.count == 16)
    }

    @Test(
        "A network with a classifier of another kind behind it gives its classes",
        arguments: ["Colors", "ColorNetworks"])
    func classifies(_ name: String) async throws {
        let content = try Data(contentsOf: CoreMLLayerCase.folder.appending(path: "pipelines.json"))
        let answers = try JSONDecoder().decode([String: [String: Double]].self, from: content)
        let expected = try #require(answers[name])
        let model = try Model(contentsOf: Self.path("\(name).mlmodel"))
        #expect(!model.findsObjects)
        let classifier = try await Classifier(model)
        let answer = try await classifier.predict(Self.scene)
        #expect(answer.label == "green")
        for prediction in answer.top(3) {
            let label = try #require(prediction.label)
            #expect(abs(Double(prediction.confidence) - (expected[label] ?? .nan)) < 2e-3, "\(label)")
        }
        // A picture has the same result alone and in a batch.
        let batch = BatchRunner(classifier, options: .init(batch: 3))
        let files = [Self.path("scene.png"), TestedNetworks.photo("coffee.png")]
        var confidences: [[Float]] = []
        for try await record in batch.predictions(over: .files(files)) {
            confidences.append(try record.classification.get().confidences)
        }
        #expect(confidences.count == 2 && confidences[0] == answer.confidences && confidences[1] != confidences[0])
    }

    @Test("What is no network with classes or boxes behind it is refused as a network")
    func refuses() throws {
        let path = CoreMLLayerCase.folder.appending(path: "features/pipeline.mlmodel").path
        let error = #expect(throws: ApusError.self) { try Model(contentsOf: path) }
        #expect("\(try #require(error))".contains("not one network"))
    }
}
