import Apus
import Foundation
import Testing

@Suite("Evaluating pixels, vectors and texts")
struct OtherEvaluationTests {
    @Test("Intersection over union of classes, by hand")
    func pixels() {
        var evaluation = SegmentationEvaluation(names: [1: "cat"])
        evaluation.add(predicted: [0, 0, 1, 1, 2, 9], actual: [0, 1, 1, 1, 1, 255])
        evaluation.add(predicted: [1, 1], actual: [1, 0])
        #expect(evaluation.pictureCount == 2 && evaluation.pixelCount == 7)
        #expect(evaluation.pixelAccuracy == 4.0 / 7)
        let classes = evaluation.classes
        #expect(classes.map(\.index) == [0, 1, 2] && classes[1].name == "cat")
        let overlaps: [Double?] = [1.0 / 3, 0.5, 0]
        let accuracies: [Double?] = [0.5, 0.6, nil]
        #expect(classes.map(\.intersectionOverUnion) == overlaps)
        #expect(classes.map(\.accuracy) == accuracies)
        let mean = (evaluation.meanIntersectionOverUnion ?? 0) - (1.0 / 3 + 0.5) / 3
        #expect(abs(mean) < 1e-12)
        #expect(SegmentationEvaluation().meanIntersectionOverUnion == nil)
    }

    @Test("The recall at k is the share of pictures with a neighbour of their label")
    func recall() async throws {
        let vectors: [[Float]] = [[1, 0], [1, 0.05], [0, 1], [0.2, 1], [1, 0.2], [-1, -1]]
        let labels = ["a", "a", "b", "b", "b", "single"]
        let evaluation = try await RetrievalEvaluation(
            of: vectors.map { ImageEmbedding($0) }, labels: labels, at: [1, 3, 5])
        #expect(evaluation.questionCount == 5 && evaluation.singleCount == 1)
        // Only the fifth has no neighbour of its label at once; its third is one.
        let recalls: [Double?] = [0.8, 1, 1]
        #expect(evaluation.recalls.map(\.recall) == recalls)
        #expect(evaluation.recalls.map(\.count) == [1, 3, 5])
    }

    @Test(
        "Characters are counted as people see them",
        arguments: [
            ("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("e\u{301}a", "éa", 0),
            ("🇩🇪", "🇫🇷", 1), ("flaw", "lawn", 2),
        ])
    func characters(text: String, actual: String, distance: Int) {
        var rate = CharacterErrorRate()
        rate.add(text, actual: actual)
        #expect(rate.errorCount == distance && rate.characterCount == actual.count)
        let expected: Double? = actual.isEmpty ? nil : Double(distance) / Double(actual.count)
        #expect(rate.value == expected)
    }
}
