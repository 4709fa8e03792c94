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

    @Test("Errors of depths, by hand: means over pictures, without pixels of unknown depth")
    func depths() throws {
        var evaluation = DepthEvaluation()
        #expect(evaluation.absoluteRelativeError == nil && evaluation.sharesWithin == nil)
        // Relative errors of 0.5, 0 and 0.25, and ratios of 1.5, 1 and 4/3.
        let areCompared = [
            evaluation.add(predicted: [3, 4, 3, 9, .nan], actual: [2, 4, 4, 0, 1]),
            evaluation.add(predicted: [1], actual: [1]), evaluation.add(predicted: [1, .nan], actual: [0, 1]),
        ]
        #expect(areCompared == [true, true, false])
        #expect(evaluation.pictureCount == 2 && evaluation.pixelCount == 4)
        #expect(abs(try #require(evaluation.absoluteRelativeError) - 0.125) < 1e-12)
        #expect(abs(try #require(evaluation.rootMeanSquareError) - (2.0 / 3).squareRoot() / 2) < 1e-12)
        let shares = try #require(evaluation.sharesWithin)
        for (share, expected) in zip(shares, [2.0 / 3, 1, 1]) { #expect(abs(share - expected) < 1e-12) }
    }

    @Test(
        "Numbers that are depths up to a factor, a shift or an inversion agree when they are aligned",
        arguments: [DepthEvaluation.Alignment.median, .leastSquares], [false, true])
    func alignedDepths(_ alignment: DepthEvaluation.Alignment, isInverse: Bool) throws {
        let actual: [Float] = [1, 2, 4, 8, 5, 3, 0.5]
        let shift: Float = alignment == .median ? 0 : 3
        let predicted = actual.map { (isInverse ? 1 / $0 : $0) * 7 + shift }
        var evaluation = DepthEvaluation(options: .init(alignment: alignment, isInverse: isInverse))
        evaluation.add(predicted: predicted, actual: actual)
        #expect(try #require(evaluation.absoluteRelativeError) < 1e-5)
        #expect(evaluation.sharesWithin == [1, 1, 1])
        var unaligned = DepthEvaluation(options: .init(isInverse: isInverse))
        unaligned.add(predicted: predicted, actual: actual)
        #expect(try #require(unaligned.absoluteRelativeError) > 0.5)
    }

    @Test("Depths beyond the largest one are left out, and predictions beyond it become it")
    func largestDepth() throws {
        var evaluation = DepthEvaluation(options: .init(isInverse: true, maximumDepth: 10))
        // 1 ÷ 0.05 is 20, and a number below 0 lies beyond every depth.
        evaluation.add(predicted: [0.05, -1, 1], actual: [10, 10, 80])
        #expect(evaluation.pixelCount == 2 && evaluation.absoluteRelativeError == 0)
        var constant = DepthEvaluation(options: .init(alignment: .leastSquares))
        constant.add(predicted: [5, 5], actual: [1, 3])
        #expect(constant.rootMeanSquareError == 1)
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
