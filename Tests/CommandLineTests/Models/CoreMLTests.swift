import Foundation
import Testing

/// Models of Core ML without files beside them, as users from another platform have them.
@Suite("apus: models of Core ML")
struct CoreMLTests {
    private static let classifiers = ["coreml/classifiers/Cats.mlmodel", "coreml/classifiers/CatsProgram.mlpackage"]

    @Test("A classifier gives label and probabilities with no flags", arguments: classifiers)
    func classifies(_ model: String) async throws {
        let outcome = try await Command.run("predict", model, "photos/chelsea.png", "photos/coffee.png")
        #expect(outcome.status == 0)
        #expect(!outcome.errors.contains("warning"), "\(outcome.errors)")
        let rows = try Row.all(outcome.lines)
        #expect(rows.map { $0.predictions?.first?.label } == ["cat", "other"])
        let confidence = try #require(rows.first?.predictions?.first?.confidence)
        #expect(abs(confidence - 0.78788) < 1e-4)
    }

    @Test("inspect names the features, with what the author says about them", arguments: classifiers)
    func inspects(_ model: String) async throws {
        let outcome = try await Command.run("inspect", model)
        #expect(outcome.status == 0)
        for text in [
            "image 227 × 227 bgr: The picture to classify.", "classLabel: string: The likelier class.",
            "dictionary of strings: The probability of each class.", "author: Apus", "2 names",
        ] { #expect(outcome.output.contains(text), "\(text)") }
    }

    @Test("A pipeline that ends in suppression finds objects; options replace its thresholds")
    func detects() async throws {
        for model in ["Squares.mlmodel", "SquaresOlder.mlmodel", "SquaresProgram.mlpackage"] {
            for task in [[], ["--task", "detect"]] {
                let arguments =
                    ["predict", "coreml/pipelines/\(model)", "coreml/pipelines/scene.png", "--quiet"] + task
                let outcome = try await Command.run(arguments)
                #expect(outcome.status == 0, "\(outcome.errors)")
                for label in ["red", "green"] { #expect(outcome.output.contains("\"label\":\"\(label)\"")) }
                #expect(outcome.output.components(separatedBy: "\"confidence\"").count >= 3)
            }
        }
        let strict = try await Command.run(
            "predict", "coreml/pipelines/Squares.mlmodel", "coreml/pipelines/scene.png", "--quiet", "--min-confidence",
            "0.95", "--format", "csv")
        #expect(strict.output.contains("red") && !strict.output.contains("green"))
        let report = try await Command.run("inspect", "coreml/pipelines/Squares.mlmodel")
        #expect(report.output.contains("pipeline of neuralNetwork, nonMaximumSuppression"))
        #expect(report.output.contains("objects of pictures"))
    }

    @Test("A model of named features gets a type whose properties have the features' types")
    func generates() async throws {
        let classical = try await Command.run("generate", "coreml/features/pipeline.mlmodel", "--name", "Flowers")
        #expect(classical.status == 0, "\(classical.errors)")
        #expect(classical.output.contains("final class Flowers"))
        #expect(classical.output.contains("Apus.TypedFeatureModel"))
        let detector = try await Command.run("generate", "coreml/pipelines/Squares.mlmodel")
        for text in [
            "var image: Apus.ImageSource", "var iouThreshold: Swift.Double?", "let coordinates: Apus.Tensor",
            "func prediction(image: Apus.ImageSource) async throws -> Output",
        ] { #expect(detector.output.contains(text), "\(text)") }
        let classifier = try await Command.run("generate", "coreml/pipelines/Colors.mlmodel")
        #expect(classifier.output.contains("let classLabel: Swift.String"))
        #expect(classifier.output.contains("let classLabelProbs: [Swift.String: Swift.Double]"))
    }

    @Test("What takes no picture says so on one line")
    func refuses() async throws {
        let outcome = try await Command.run("predict", "coreml/features/tree_regressor.mlmodel", "photos/coffee.png")
        #expect(outcome.status == 3)
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains("pipelineRegressor"))
    }
}
