import Apus
import Foundation
import Measuring
import TestSupport
import Testing

@Suite("Evaluation")
struct EvaluationTests {
    /// Answers, and the metrics that `make_dataset_fixtures.py` computes from them.
    struct Expectation: Decodable {
        struct Answer: Decodable {
            let label: Int
            let confidences: [Float]
        }

        let binCount: Int
        let answers: [Answer]
        let top1: Double
        let top5: Double
        let classes: [Int]
        let precision: [Double]
        let recall: [Double]
        let meanPrecision: Double
        let meanRecall: Double
        let calibrationError: Double
        let confusions: [[Int]]
    }

    private static func isNear(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 - expected) < 1e-9 } ?? false
    }

    @Test("Figures equal those computed apart")
    func reference() throws {
        let expected = try JSONDecoder().decode(Expectation.self, from: DatasetFixtures.data("evaluation.json"))
        var evaluator = Evaluator(binCount: expected.binCount)
        for (index, answer) in expected.answers.enumerated() {
            let classification = Classification(confidences: answer.confidences, labels: nil)
            evaluator.add(classification, label: answer.label, id: "\(index)")
        }
        let evaluation = evaluator.evaluation
        #expect(evaluation.imageCount == expected.answers.count)
        #expect(Self.isNear(evaluation.top1, expected.top1))
        #expect(Self.isNear(evaluation.top5, expected.top5))
        #expect(evaluation.classes.map(\.index) == expected.classes)
        for (result, (precision, recall)) in zip(evaluation.classes, zip(expected.precision, expected.recall)) {
            #expect(Self.isNear(result.precision ?? 0, precision))
            #expect(Self.isNear(result.recall ?? 0, recall))
        }
        #expect(Self.isNear(evaluation.meanPrecision, expected.meanPrecision))
        #expect(Self.isNear(evaluation.meanRecall, expected.meanRecall))
        #expect(Self.isNear(evaluation.calibration.expectedError, expected.calibrationError))
        #expect(evaluation.confusions.map { [$0.actual, $0.predicted, $0.count] } == expected.confusions)
    }

    @Test("The figures by then are given when an evaluation is cancelled")
    func endsEarly() async throws {
        struct Labelled: Dataset {
            func records() -> RecordListing {
                let picture = ImageSource.file(TestedNetworks.photo("coffee.png"))
                return RecordListing((0..<40).map { ImageRecord(id: "\($0)", label: "1", source: picture) })
            }
        }
        let classifier = try await Classifier(TestedNetworks.small(), options: .init(threads: 1))
        var options = Evaluation.Options()
        options.batch = 2
        let work = Task { [options] in
            var early: Evaluation?
            do {
                _ = try await classifier.evaluate(Labelled(), options: options) { progress in
                    if progress.done == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                } endedEarly: {
                    early = $0
                }
            } catch {
                return (early, "\(error)")
            }
            return (early, "none")
        }
        let (early, error) = await work.value
        #expect(error != "none")
        #expect((3..<40).contains(early?.imageCount ?? 0))
    }

    @Test("Figures by hand: two classes, four pictures")
    func byHand() throws {
        var evaluator = Evaluator(labels: Labels(["cat", "dog"]), binCount: 2, mistakeCount: 1)
        for (confidence, label) in [(0.9, 0), (0.8, 1), (0.6, 1), (0.25, 1)] as [(Float, Int)] {
            evaluator.add(
                Classification(confidences: [confidence, 1 - confidence], labels: nil), label: label,
                id: "\(confidence)")
        }
        evaluator.addFailure()
        evaluator.addUnlabelled()
        let evaluation = evaluator.evaluation
        #expect(evaluation.top1 == 0.5 && evaluation.top5 == 1)
        #expect(evaluation.failedCount == 1 && evaluation.unlabelledCount == 1)
        #expect(evaluation.classes.map(\.name) == ["cat", "dog"])
        #expect(evaluation.classes.map(\.precision) == [1.0 / 3, 1])
        #expect(evaluation.classes.map(\.recall) == [1, 1.0 / 3])
        // All confidences lie in (0.5, 1]: |2/4 − (0.9 + 0.8 + 0.6 + 0.75)/4|.
        #expect(abs((evaluation.calibration.expectedError ?? 0) - 0.2625) < 1e-6)
        #expect(evaluation.worstMistakes.map(\.id) == ["0.8"])
        #expect(evaluation.confusions.map(\.count) == [2])
    }

    @Test("Nothing counted gives no figures")
    func empty() throws {
        let evaluation = Evaluator().evaluation
        #expect(evaluation.top1 == nil && evaluation.meanRecall == nil && evaluation.calibration.expectedError == nil)
        #expect(EvaluationPage(evaluation, title: "nothing").html.contains("None."))
    }

    @Test("Labels are names, indices, or names written otherwise, in this order")
    func labels() throws {
        let names = ["tabby, tabby cat", "2", "crane", "crane", "Egyptian Mau", "T-shirt"]
        let matcher = LabelMatcher(labels: Labels(names), classCount: 6)
        for (label, index) in [
            ("tabby, tabby cat", 0), ("Tabby_Cat", 0), ("tabby", 0), ("2", 1), ("3", 3), ("egyptian-mau", 4),
            ("t shirt", 5), ("0", 0),
        ] {
            #expect(try matcher.classIndex(of: label) == index, "\(label)")
        }
        #expect(throws: LabelMatcher.Mismatch.ambiguous("crane", classes: [2, 3])) {
            try matcher.classIndex(of: "crane")
        }
        for label in ["6", "dog", "", "-1", "1.0", "99999999999999999999"] {
            #expect(throws: LabelMatcher.Mismatch.unknown(label)) { try matcher.classIndex(of: label) }
        }
    }

    @Test("A page escapes every text and shows the pictures of mistakes")
    func page() throws {
        let name = "<script>alert(\"&'1')</script>"
        var evaluator = Evaluator(labels: Labels([name, "b"]))
        evaluator.add(Classification(confidences: [0.9, 0.1], labels: nil), label: 1, id: "\(name)\u{1B}.png")
        let html = EvaluationPage(evaluator.evaluation, title: name).html
        #expect(!html.contains("<script>alert") && !html.contains("\u{1B}"))
        #expect(html.contains("&lt;script&gt;alert(&quot;&amp;&#39;1&#39;)&lt;/script&gt;"))
        #expect(html.contains("<svg") && html.contains("Confusion matrix"))
    }

    @Test("A classifier is evaluated over a dataset, with records left out and counted")
    func dataset() async throws {
        let classifier = try await Classifier(TestedNetworks.small())
        let photo = TestedNetworks.photo("coffee.png")
        let answer = try await classifier.predict(.file(photo)).best.index
        let wrong = (answer + 1) % 5
        let records = [
            ImageRecord(id: "right", label: "\(answer)", source: .file(photo)),
            ImageRecord(id: "wrong", label: "\(wrong)", source: .file(photo)),
            ImageRecord(id: "none", source: .file(photo)),
            ImageRecord(id: "gone", label: "1", source: .file("gone.png")),
            ImageRecord(id: "unknown", label: "cat", source: .file(photo)),
        ]
        let error = await #expect(throws: ApusError.self) { try await classifier.evaluate(Records(list: records)) }
        #expect(error.map { "\($0)" }?.hasPrefix("unknown: label \"cat\" is neither the name") == true)
        var options = Evaluation.Options()
        (options.skipsUnknownLabels, options.keepsThumbnails, options.batch) = (true, true, 2)
        let evaluation = try await classifier.evaluate(Records(list: records), options: options)
        #expect(evaluation.imageCount == 2 && evaluation.top1Count == 1)
        #expect(evaluation.failedCount == 1 && evaluation.unlabelledCount == 1 && evaluation.unknownLabelCount == 1)
        let mistake = try #require(evaluation.worstMistakes.first)
        #expect(mistake.id == "wrong" && mistake.actual == wrong && mistake.predicted == answer)
        let thumbnail = try Image(decoding: #require(mistake.thumbnail))
        #expect(max(thumbnail.width, thumbnail.height) == 160)
        #expect(EvaluationPage(evaluation, title: "t").html.contains("data:image/jpeg;base64,/9j/"))
        await #expect(throws: ApusError.self) { try await classifier.evaluate(Records(list: [records[2]])) }
        await #expect(throws: ApusError.self) {
            try await classifier.evaluate(Records(list: [records[0], records[0]]))
        }
    }

    private struct Records: Dataset {
        let list: [ImageRecord]
        func records() -> RecordListing { RecordListing(list) }
    }

    @Test("Labels stand in ids where a pattern says so")
    func patterns() throws {
        let dataset = FileDataset.files(["a/cat-1.jpg", "a/dog-22.jpg", "a/none.jpg"])
        let labelled = dataset.labelled(by: try LabelPattern("([a-z]+)-[0-9]+"))
        #expect(try labelled.all().map(\.label) == ["cat", "dog", nil])
        for text in ["(", "[a-z]+", "(a)(b)"] { #expect(throws: ApusError.self) { try LabelPattern(text) } }
    }
}
