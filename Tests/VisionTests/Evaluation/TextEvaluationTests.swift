import Apus
import Foundation
import Testing

@Suite("Evaluation of texts")
struct TextEvaluationTests {
    private func withFile<Result>(_ name: String, _ text: String, _ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "texts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return try body(file.path)
    }

    @Test("Texts come from CSV and JSON Lines, by the names of files with and without folders")
    func truth() throws {
        let csv = "file,text\r\npages/a.png,\"two\nlines, here\"\r\nb.png,\r\nx/c.png,1\r\ny/c.png,2\r\n"
        try withFile("texts.csv", csv) { path in
            let truth = try TextTruth(contentsOf: path)
            #expect(
                truth.text(of: "pages/a.png") == "two\nlines, here" && truth.text(of: "a.png") == "two\nlines, here")
            #expect(truth.text(of: "photos/b.png") == "" && truth.text(of: "d.png") == nil)
            #expect(truth.text(of: "y/c.png") == "2" && truth.text(of: "z/y/c.png") == "2")
            #expect(truth.text(of: "c.png") == nil)
        }
        try withFile("texts.jsonl", "{\"file\": \"a.png\", \"text\": \"Straße\"}\n") { path in
            let truth = try TextTruth(contentsOf: path)
            #expect(truth.text(of: "photos/a.png") == "Straße")
        }
    }

    @Test(
        "Files that are no lists of texts are errors that name the line",
        arguments: [
            "file,label\na.png,x\n", "file,text\na.png,x\na.png,y\n", "", "file,text\n", "file,text\na.png\n",
        ])
    func badFiles(_ text: String) throws {
        try withFile("texts.csv", text) { path in
            do throws(ApusError) {
                _ = try TextTruth(contentsOf: path)
                Issue.record("no error")
            } catch {
                #expect(error.description.contains("texts.csv"))
            }
        }
    }

    @Test("The rate is that of all texts, spaces and line breaks count once, and the worst come first")
    func rate() throws {
        var evaluation = TextEvaluation(mistakeCount: 2)
        evaluation.add("same  text\nhere ", actual: "same text here", id: "a")
        evaluation.add("he1lo", actual: "hello", id: "b")
        evaluation.add("", actual: "four", id: "c")
        evaluation.add("ab", actual: "ac d", id: "d")
        #expect(evaluation.rate.textCount == 4 && evaluation.rate.rightCount == 1)
        #expect(evaluation.rate.errorCount == 8 && evaluation.rate.characterCount == 27)
        #expect(evaluation.mistakes.map(\.id) == ["c", "d"] && evaluation.mistakes.map(\.errorCount) == [4, 3])
        let json = String(decoding: try JSONEncoder().encode(evaluation), as: UTF8.self)
        #expect(json.contains("\"characterErrorRate\":0.29629") && json.contains("\"right\":1"))
    }
}
