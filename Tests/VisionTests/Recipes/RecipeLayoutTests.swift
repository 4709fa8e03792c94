import Apus
import Foundation
import Graphs
import Images
import TestSupport
import Testing

/// Text whose lines stand in the parts of a page.
@Suite("Layouts of text")
struct RecipeLayoutTests {
    @Test("Boxes of a page with a title and two columns are read column by column")
    func cut() {
        let boxes: [ReadingOrder.Edges] = [
            (55, 65, 100, 90), (0, 20, 45, 40), (0, 0, 100, 10), (55, 20, 100, 60), (0, 45, 45, 90), (0, 95, 100, 99),
        ]
        #expect(ReadingOrder.cut(boxes) == [2, 1, 4, 3, 0, 5])
        #expect(ReadingOrder.cut([]).isEmpty && ReadingOrder.cut([(0, 0, 1, 1)]) == [0])
        // Nothing parts these.
        #expect(ReadingOrder.cut([(0, 5, 10, 15), (5, 0, 15, 10), (3, 3, 12, 12)]) == [1, 2, 0])
        // Boxes without extent, and equal ones.
        #expect(ReadingOrder.cut([(3, 3, 3, 3), (3, 3, 3, 3), (1, 1, 1, 1)]) == [2, 0, 1])
        let many = (0..<2000).map { index -> ReadingOrder.Edges in
            let (x, y) = (Double(index % 40), Double(index / 40))
            return (x, y, x + 0.9, y + 0.9)
        }
        #expect(ReadingOrder.cut(many) == Array(0..<2000))
    }

    private func line(_ text: String, _ left: Double, _ top: Double) throws -> RecognizedTextLine {
        let corners = TextFixtures.points([[left, top], [left + 30, top], [left + 30, top + 8], [left, top + 8]])
        return RecognizedTextLine(text: text, confidence: 1, box: try #require(Quadrilateral(corners)))
    }

    @Test("Lines belong to the smallest part around their middle, and others stand alone")
    func arranged() throws {
        let lines = [
            try line("left", 5, 10), try line("right", 55, 10), try line("below", 5, 20), try line("x", 5, 90),
        ]
        func object(_ name: String, _ box: [Float]) -> RecognizedObject {
            RecognizedObject(
                confidence: 1, box: NormalizedBox(x: box[0], y: box[1], width: box[2], height: box[3]),
                labels: [ClassificationObservation(index: 0, label: name, confidence: 1)])
        }
        let layout = ObjectDetection(
            [
                object("page", [0, 0, 1, 1]), object("figure", [0, 0.5, 1, 0.2]), object("text", [0.5, 0, 0.5, 0.4]),
                object("title", [0, 0, 0.45, 0.4]),
            ], imageSize: ImageSize(width: 100, height: 100))
        let text = RecognizedText(lines, imageSize: ImageSize(width: 100, height: 100)).arranged(
            by: ObjectDetection(Array(layout.objects.dropFirst()), imageSize: layout.imageSize))
        #expect(text.string == "left\nbelow\n\nright\n\nx")
        #expect(text.blocks.map(\.label) == ["title", "text", nil])
        #expect(text.blocks.map(\.lines) == [0..<2, 2..<3, 3..<4])
        let whole = RecognizedText(lines, imageSize: ImageSize(width: 100, height: 100)).arranged(by: layout)
        #expect(whole.blocks.map(\.label).sorted { ($0 ?? "") < ($1 ?? "") } == ["page", "text", "title"])
        let empty = RecognizedText([], imageSize: ImageSize(width: 100, height: 100)).arranged(by: layout)
        #expect(empty.lines.isEmpty && empty.blocks.isEmpty && empty.string.isEmpty)
    }

    /// A detector of the columns of a picture of 640 x 120, which it sees in the middle of 64 x 64 pixels.
    private func columns() throws -> Model {
        var rows = [Float](repeating: 0, count: 252 * 7)
        rows.replaceSubrange(0..<7, with: [48, 32, 32, 12, 1, 0.75, 0])
        rows.replaceSubrange(7..<14, with: [16, 32, 32, 12, 1, 0.5, 0])
        let boxes = try Tensor(rows, shape: [1, 252, 7])
        let zero = try Tensor([0] as [Float], shape: [1, 1, 1])
        return try Model(
            try Graph.build("columns") { net in
                let image = net.input("image", .float32, [.batch, 1, 64, 64])
                let nothing = image.globalAveragePool().reshape([0, 1, 1]).multiplied(by: net.constant("zero", zero))
                net.output("boxes", nothing.added(to: net.constant("rows", boxes)))
            })
    }

    @Test("A stage for the layout brings lines into the order of columns")
    func layout() async throws {
        try await withTemporaryFolder { folder in
            for name in ["detector", "recognizer"] {
                try FileManager.default.copyItem(
                    atPath: TextFixtures.path("\(name).onnx"), toPath: folder.appending(path: "\(name).onnx").path)
            }
            try columns().export(to: folder.appending(path: "columns.onnx").path)
            let file = folder.appending(path: "page.recipe.json")
            func recipe(_ region: String, _ second: String = "") throws -> Recipe {
                let stages = [
                    #"{"name": "lines", "task": "text", "model": "detector.onnx", "#
                        + #""limit": {"side": "max", "length": 960}}"#,
                    #"{"name": "layout", "task": "detect", "model": "columns.onnx", "labels": ["column", "other"], "#
                        + #""region": {"shape": "\#(region)"}}"#,
                    #"{"name": "text", "task": "text", "model": "recognizer.onnx"\#(second)}"#,
                ]
                try Data("{\"recipe\": 1, \"stages\": [\(stages.joined(separator: ", "))]}".utf8).write(to: file)
                return try Recipe(contentsOf: file.path)
            }
            let runner = try await RecipeRunner(try recipe("picture"))
            let text = try #require(try await runner.predict(.file(TextFixtures.path("columns.png"))).text)
            #expect(text.string == "AB\nCC\n\nBA\nBB" && text.blocks.map(\.label) == ["column", "column"])
            let empty = try await runner.predict(.file(TextFixtures.path("empty.png"))).text
            #expect(empty?.lines.isEmpty ?? false)
            let records = [ImageRecord(id: "a.png", source: .file(TextFixtures.path("columns.png")))]
            let record = try #require(try await BatchRunner(runner).predict(records).first)
            let page = record.hOCRPage
            #expect(page.components(separatedBy: "<div class=\"ocr_carea\"").count == 3)
            #expect(page.contains("id=\"block_1_1\" title=\"bbox 0 0 320 120\" data-label=\"column\""))
            #expect(
                record.jsonText(RowOptions(content: .text, top: 1, minimumConfidence: 0, maskForm: .counts)).contains(
                    "\"blocks\":[{\"label\":\"column\",\"box\":[0.0,0.0,0.5,1.0]"))
            // Only a detector looks at the whole picture, and only for text.
            #expect(throws: ApusError.self) { try recipe("box") }
            #expect(throws: ApusError.self) { try recipe("picture", #", "region": {"shape": "picture"}"#) }
        }
    }
}
