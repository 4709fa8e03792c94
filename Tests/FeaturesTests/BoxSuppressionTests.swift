import Features
import Tensors
import Testing

@Suite struct BoxSuppressionTests {
    /// Two boxes of one class that overlap by half, and one of another class in their place.
    private static func outputs(isPerClass: Bool, overlap: Double) throws -> [String: FeatureValue] {
        var names = BoxSuppression.Names()
        (names.confidence, names.coordinates) = ("scores", "boxes")
        (names.confidenceOutput, names.coordinatesOutput) = ("scoresOut", "boxesOut")
        let stage = BoxSuppression(
            names: names, iouThreshold: overlap, confidenceThreshold: 0.3, isPerClass: isPerClass, labels: [])
        let scores = try Tensor([0.6, 0, 0.9, 0, 0, 0.5, 0.2, 0] as [Double], shape: [4, 2])
        let boxes = try Tensor([0, 0, 2, 2, 1, 0, 2, 2, 1, 0, 2, 2, 9, 9, 1, 1] as [Double], shape: [4, 4])
        return try stage.evaluate(["scores": .tensor(scores), "boxes": .tensor(boxes)])
    }

    /// The overlap is 2 of 6: a third.
    @Test func keepsTheMostConfident() throws {
        #expect(try Self.outputs(isPerClass: false, overlap: 0.3)["scoresOut"]?.numbers == [0.9, 0])
        #expect(try Self.outputs(isPerClass: false, overlap: 0.3)["boxesOut"]?.numbers == [1, 0, 2, 2])
    }

    @Test func leavesOtherClassesAlone() throws {
        #expect(try Self.outputs(isPerClass: true, overlap: 0.3)["scoresOut"]?.numbers == [0.9, 0, 0, 0.5])
    }

    @Test func keepsWhatOverlapsLess() throws {
        #expect(try Self.outputs(isPerClass: true, overlap: 0.4)["scoresOut"]?.numbers == [0.9, 0, 0.6, 0, 0, 0.5])
    }

    @Test func refusesRowsThatDoNotFit() throws {
        let stage = BoxSuppression(
            names: BoxSuppression.Names(), iouThreshold: 0.5, confidenceThreshold: 0, isPerClass: true, labels: [])
        #expect(message { _ = try stage.evaluate(["": 1]) }.contains("rows of numbers are expected"))
        let scores = FeatureValue.tensor(try Tensor([1, 1] as [Double], shape: [2, 1]))
        #expect(message { _ = try stage.evaluate(["": scores]) }.contains("do not fit"))
    }
}
