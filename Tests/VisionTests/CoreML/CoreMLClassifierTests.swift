import Apus
import Foundation
import TestSupport
import Testing

/// Uses the classifiers of `make_coreml_classifier_fixtures.py` as a user with such a file and photos would.
@Suite("Classifiers of Core ML, from the file to the label")
struct CoreMLClassifierTests {
    static let files = ["Cats.mlmodel", "CatsProgram.mlpackage"]

    static func path(_ name: String) -> String {
        CoreMLLayerCase.folder.appending(path: "classifiers/\(name)").path
    }

    /// The probabilities of each photo's classes by onnxruntime and Pillow.
    private func answers() throws -> [String: [String: Double]] {
        let content = try Data(contentsOf: CoreMLLayerCase.folder.appending(path: "classifiers.json"))
        return try JSONDecoder().decode([String: [String: Double]].self, from: content)
    }

    private func check(_ found: [String: Double], _ expected: [String: Double], _ name: String) {
        #expect(found.keys.sorted() == expected.keys.sorted())
        for (label, probability) in expected {
            #expect(abs((found[label] ?? .nan) - probability) < 1e-4, "\(name): \(label)")
        }
    }

    @Test("Photos get the label and the probabilities with nothing beside the model", arguments: files)
    func classifies(_ file: String) async throws {
        let model = try Model(contentsOf: Self.path(file))
        #expect(model.labels == Labels(["cat", "other"]))
        let classifier = try await Classifier(model)
        #expect(!classifier.isPreprocessingGuessed)
        for (photo, expected) in try answers() {
            let answer = try await classifier.predict(.file(TestedNetworks.photo(photo)))
            #expect(answer.label == (photo == "chelsea.png" ? "cat" : "other"))
            let pairs = answer.top(2).map { ($0.label ?? "", Double($0.confidence)) }
            check(Dictionary(uniqueKeysWithValues: pairs), expected, photo)
        }
    }

    @Test("Requests, named features and the type's runtime say the same", arguments: files)
    func ways(_ file: String) async throws {
        let expected = try #require(try answers()["chelsea.png"])
        let photo = ImageSource.file(TestedNetworks.photo("chelsea.png"))

        let classifier = try await Classifier(try Model(contentsOf: Self.path(file)))
        let observations = try await ImageRequestHandler(photo).perform(PredictionRequest(classifier)).top(5)
        #expect(observations.map(\.identifier) == ["cat", "other"])

        let session = try await FeatureSession(FeatureModel(contentsOf: Self.path(file)))
        let outputs = try await session.predict(images: ["image": photo])
        #expect(outputs.keys.sorted() == ["classLabel", "classLabelProbs"])
        #expect(outputs["classLabel"]?.key == .string("cat"))
        guard case .dictionary(let probabilities)? = outputs["classLabelProbs"] else {
            Issue.record("there are no probabilities")
            return
        }
        check(
            Dictionary(uniqueKeysWithValues: probabilities.map { ($0.key.description, $0.value) }), expected, "features"
        )
        await #expect(throws: ApusError.self) { try await session.predict(images: ["picture": photo]) }

        let typed = try await TypedModel(contentsOf: Self.path(file)).outputs(for: ["image": .image(photo)])
        #expect(try typed.classLabel() == "cat")
        check(try typed.classLabelProbs(), expected, "type")
    }
}
