import Features
import Foundation
import Testing

@Suite struct LinearModelTests {
    private static let inputs = FeatureInputs(["x"])

    /// y = 2 · 3 + 5 · 1 − 4
    @Test func regresses() throws {
        let model = try LinearModel(weights: [[2, 5]], offsets: [-4], link: .identity, inputs: Self.inputs)
        let outputs = try LinearRegressor(model, output: "y").evaluate(["x": .array([3, 1])])
        #expect(outputs["y"]?.numbers == [7])
    }

    @Test(arguments: [(LinearModel.Link.identity, 1.0), (.logit, 0.7310585786300049), (.probit, 0.8413447460685429)])
    func links(_ link: LinearModel.Link, _ expected: Double) throws {
        let model = try LinearModel(weights: [[1]], offsets: [0], link: link, inputs: Self.inputs)
        let y = try LinearRegressor(model, output: "y").evaluate(["x": 1])["y"]?.numbers?.first ?? .nan
        #expect(abs(y - expected) < 1e-12)
    }

    /// With one row the second class has the probability of the link.
    @Test func classifiesTwo() throws {
        let model = try LinearModel(weights: [[1]], offsets: [0], link: .logit, inputs: Self.inputs)
        let outputs = ClassifierOutputs(
            labels: [.string("no"), .string("yes")], labelName: "c", probabilitiesName: "p")
        let classifier = try LinearClassifier(model, encoding: .oneVersusRest, outputs: outputs)
        #expect(try classifier.evaluate(["x": 1])["c"]?.text == "yes")
        #expect(try classifier.evaluate(["x": -1])["c"]?.text == "no")
        let sum = try classifier.evaluate(["x": 1])["p"]?.dictionary?.values.reduce(0, +) ?? 0
        #expect(abs(sum - 1) < 1e-12)
    }

    @Test func refusesWhatDoesNotFit() throws {
        #expect(
            message {
                _ = try LinearModel(weights: [[1], [1, 2]], offsets: [0, 0], link: .identity, inputs: Self.inputs)
            }
            .contains("differ in length"))
        #expect(
            message { _ = try LinearModel(weights: [[1]], offsets: [], link: .identity, inputs: Self.inputs) }
                .contains("0 offsets"))
        let model = try LinearModel(weights: [[1]], offsets: [0], link: .identity, inputs: Self.inputs)
        let regressor = LinearRegressor(model, output: "y")
        #expect(message { _ = try regressor.evaluate(["x": .array([1, 2])]) }.contains("2 numbers"))
        #expect(message { _ = try regressor.evaluate([:]) }.contains("\"x\" is missing"))
        #expect(message { _ = try regressor.evaluate(["x": "text"]) }.contains("numbers are expected"))
    }
}
