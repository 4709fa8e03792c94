import Apus
import Foundation
import TestSupport
import Testing

@Suite struct PredictTests {
    @Test func labelsAndConfidencesAreTheReferences() async throws {
        let outcome = try await Command.run("predict", Fixtures.model, "photos")
        #expect(outcome.status == 0)
        let rows = try Row.all(outcome.lines)
        #expect(rows.map(\.id) == Fixtures.photos.map { "photos/\($0)" })
        let references = try Fixtures.references()
        for row in rows {
            let expected = try #require(references[String(row.id.dropFirst("photos/".count))])
            let predictions = try #require(row.predictions)
            #expect(expected.count == 5)
            #expect(predictions.map(\.index) == expected.map(\.index))
            #expect(predictions.map(\.label) == expected.map(\.label))
            for (prediction, reference) in zip(predictions, expected) {
                let confidence = try #require(prediction.confidence)
                #expect(abs(confidence - (reference.confidence ?? 0)) < 0.002)
            }
        }
    }

    @Test("The best classes are drawn on the pictures")
    func drawing() async throws {
        try await withTemporaryFolder { folder in
            let drawn = folder.appending(path: "drawn").path
            let outcome = try await Command.run(
                "predict", Fixtures.model, "photos/coffee.png", "--draw", drawn, "--quiet")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let file = drawn + "/photos/coffee.png.jpg"
            let picture = try Image(
                decoding: Data(contentsOf: URL(fileURLWithPath: Fixtures.path("photos/coffee.png"))))
            let drawing = try Image(decoding: Data(contentsOf: URL(fileURLWithPath: file)))
            #expect(drawing.size == picture.size)
            // The caption lies in the dark corner; its color is that of the class's number.
            let (before, after) = (picture.pixels[..<3].map(Int.init), drawing.pixels[..<3].map(Int.init))
            #expect(before.max() ?? 255 < 60 && after[0] > 150 && after[2] > 150, "\(before) \(after)")
        }
    }

    @Test(arguments: [
        ["--batch", "1"], ["--batch", "3"], ["--streams", "2"], ["--threads", "1"], ["--backend", "cpu"],
    ])
    func answersDoNotDependOnHowTheyAreComputed(_ options: [String]) async throws {
        let usual = try await Command.run("predict", Fixtures.model, "photos")
        let other = try await Command.run(["predict", Fixtures.model, "photos"] + options)
        #expect(other.status == 0)
        #expect(other.output == usual.output)
    }

    @Test func csvHasARowPerRecordAndEqualWidths() async throws {
        let outcome = try await Command.run(
            "predict", Fixtures.model, "photos/coffee.png", "images/bad/page.jpg", "--format", "csv", "--top", "2")
        #expect(outcome.status == 1)
        let rows = try StrictCSV.rows(outcome.output)
        try #require(rows.count == 3)
        #expect(
            rows[0] == [
                "id", "error", "index_1", "label_1", "confidence_1", "index_2", "label_2", "confidence_2",
                "warning",
            ])
        #expect(rows[1].prefix(4) == ["photos/coffee.png", "", "967", "espresso"])
        #expect(abs((Double(rows[1][4]) ?? 0) - 0.99938) < 0.002)
        #expect(rows[2][0] == "images/bad/page.jpg")
        #expect(rows[2][1].hasPrefix("decode/unrecognized: "))
        #expect(rows[2].count == 9 && rows[2][2...].allSatisfy(\.isEmpty))
    }

    @Test func tableAlignsColumnsWithoutColors() async throws {
        let outcome = try await Command.run(
            "predict", Fixtures.model, "photos", "images/bad/page.jpg", "--format", "table", "--top", "2")
        #expect(outcome.status == 1)
        #expect(outcome.lines.count == 9)
        #expect(!outcome.output.contains("\u{1B}"))
        let ends = Set(outcome.lines.prefix(8).map(\.count))
        #expect(ends.count == 1, "every confidence ends in the same column")
        #expect(outcome.lines[4].hasPrefix("photos/coffee.png"))
        #expect(outcome.lines[4].hasSuffix(" 99.94 %"))
        #expect(outcome.lines[5].hasPrefix("      "))
        #expect(outcome.lines[8].contains("error: not a picture"))
    }

    @Test func jsonIsOneDocument() async throws {
        struct Document: Decodable {
            let model: String
            let records: [Row]
            let predicted: Int
            let failed: Int
            let notices: [String]
            let summary: RunSummary
        }
        let outcome = try await Command.run("predict", Fixtures.model, "photos", "nothing.png", "--json")
        #expect(outcome.status == 1)
        #expect(outcome.errors.isEmpty)
        let document = try JSONDecoder().decode(Document.self, from: Data(outcome.output.utf8))
        #expect(document.model == Fixtures.model)
        #expect(document.records.count == 5)
        #expect(document.predicted == 4 && document.failed == 1 && document.notices.isEmpty)
        #expect(document.summary.state == .finished && document.summary.succeeded == 4)
    }

    @Test func jsonHasOneShapeWhereverTheRowsGo() async throws {
        try await withTemporaryFolder { folder in
            let arguments = ["predict", Fixtures.model, "photos", "nothing.png", "--json"]
            let rows = ["-o", folder.appendingPathComponent("rows.csv").path]
            let documents = try await [arguments, arguments + rows].asyncMap { arguments in
                let output = try await Command.run(arguments).output
                return try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
            }
            for document in documents {
                #expect(document["model"] as? String == Fixtures.model)
                #expect(document["predicted"] as? Int == 4 && document["failed"] as? Int == 1)
                #expect(document["notices"] as? [String] == [])
                let summary = try #require(document["summary"] as? [String: Any])
                #expect(summary["state"] as? String == "finished" && summary["succeeded"] as? Int == 4)
            }
            #expect(documents[0]["records"] != nil && documents[1]["records"] == nil)
            // The former place of these figures, which stays readable.
            #expect(documents[1]["succeeded"] as? Int == 4)
        }
    }

    @Test func theFormatFollowsTheNameOfTheOutput() async throws {
        try await withTemporaryFolder { folder in
            for (name, beginning) in [
                ("a.csv", "id,error,"), ("a.jsonl", "{\"id\":"), ("a.txt", "photos/coffee.png  "),
            ] {
                let file = folder.appendingPathComponent(name)
                let outcome = try await Command.run(
                    "predict", Fixtures.model, "photos/coffee.png", "-o", file.path, "--progress", "never")
                #expect(outcome.status == 0)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.hasPrefix("apus: 1 picture predicted, 0 errors"))
                #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix(beginning))
            }
        }
    }

    @Test func topAndLeastConfidenceLimitTheClasses() async throws {
        let outcome = try await Command.run(
            "predict", Fixtures.model, "photos/chelsea.png", "--top", "10", "--min-confidence", "0.2")
        let row = try #require(try Row.all(outcome.lines).first)
        #expect(row.predictions?.map(\.index) == [285, 282, 281])
    }

    @Test func labelsAndStepsCanBeOverridden() async throws {
        try await withTemporaryFolder { folder in
            let labels = folder.appendingPathComponent("names.txt")
            try (0..<1000).map { "class-\($0)" }.joined(separator: "\n").write(
                to: labels, atomically: true, encoding: .utf8)
            let outcome = try await Command.run(
                "predict", Fixtures.model, "photos/coffee.png", "--labels", labels.path, "--top", "1",
                "--mean", "123.68,116.779,103.939", "--channels", "bgr", "--resize", "fill", "--resample", "bilinear",
                "--std", "1", "--scale", "1/1")
            let row = try #require(try Row.all(outcome.lines).first)
            #expect(row.predictions?.first?.label == "class-967")
            #expect(abs((row.predictions?.first?.confidence ?? 0) - 0.99938) < 0.002)
        }
    }

    @Test("A mean for pixels from 0 to 255 is refused where an unsaid scale makes them 0 to 1")
    func meanOfOtherRange() async throws {
        let arguments = ["predict", "zoo:squeezenet1_1", "photos/coffee.png"]
        for option in ["--mean", "--std"] {
            let outcome = try await Command.run(arguments + [option, "127.5"])
            #expect(outcome.status == 2 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("127.5 of --mean or --std is for pixels from 0 to 255"))
            #expect(outcome.errors.contains("--scale 1 keeps them"))
        }
        for scale in ["1", "1/255"] {
            let outcome = try await Command.run(arguments + ["--mean", "127.5", "--scale", scale])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        let small = try await Command.run(arguments + ["--mean", "0.5", "--std", "0.5"])
        #expect(small.status == 0, "\(small.errors)")
    }

    @Test func guessedPreprocessingIsSaidOnce() async throws {
        let arguments = ["predict", "zoo:squeezenet1_1", "photos", "--top", "1"]
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.errorLines.filter { $0.contains("guessing") }.count == 1)
        #expect(try await Command.run(arguments + ["--quiet"]).errors.isEmpty)
        let others = try await Command.run(arguments + ["--quiet", "--seed", "1"])
        #expect(others.output != outcome.output)
        let told = try await Command.run(arguments + ["--scale", "1/255"])
        #expect(!told.errors.contains("guessing"))
    }
}

extension Array where Element: Sendable {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
