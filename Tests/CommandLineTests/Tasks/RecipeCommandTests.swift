import Foundation
import FoundationXML
import Testing

/// `apus predict` with a recipe.
@Suite("apus predict: recipes")
struct RecipeCommandTests {
    private let recipe = "text/text.recipe.json"
    private let pages = ["columns", "empty", "turned", "two", "upside_down"].map { "text/\($0).png" }

    private func content(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("Rows have the lines with their corners, texts and directions")
    func rows() async throws {
        let outcome = try await Command.run(["predict", recipe, "--quiet"] + pages + ["images/bad/zeros.png"])
        #expect(outcome.status == 1)
        let rows = try outcome.output.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(rows.prefix(5).map { $0["text"] as? String } == ["AB BA\nCC BB", "", "BAC", "ABC\nCCAB", "AB\nACB"])
        let lines = try #require(rows[4]["lines"] as? [[String: Any]])
        let direction = try #require(lines[1]["direction"] as? [String: Any])
        #expect(direction["degrees"] as? Int == 180 && (lines[1]["box"] as? [[Double]])?.count == 4)
        #expect(rows[5]["lines"] is NSNull && rows[5]["error"] is [String: Any])
    }

    @Test("Plain text, hOCR and columns have the same lines")
    func formats() async throws {
        let plain = try await Command.run(["predict", recipe, "--quiet", "--format", "plain"] + pages.suffix(2))
        #expect(plain.output == "==> text/two.png <==\nABC\nCCAB\n\n==> text/upside_down.png <==\nAB\nACB\n\n")
        let page = try await Command.run(
            ["predict", recipe, "--quiet", "--format", "hocr", pages[3], "images/bad/zeros.png"])
        #expect(page.status == 1)
        let document = try XMLPage(page.output)
        #expect(document.pages == 2 && document.lines == ["ABC", "CCAB"] && document.errors == 1)
        let csv = try await Command.run(["predict", recipe, "--quiet", "--format", "csv"] + pages.suffix(1))
        let cells = csv.output.split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(cells.map(\.count) == [14, 14, 14] && cells[1][3] == "AB" && cells[2][5] == "180")
        let other = try await Command.run(["predict", recipe, "--quiet", "--format", "coco"] + pages)
        #expect(other.status == 2 && other.errors.contains("--format coco cannot hold text"))
    }

    @Test("Options that belong to stages are refused, and inspect says the stages")
    func options() async throws {
        let task = try await Command.run(["predict", recipe, "--task", "text"] + pages)
        #expect(task.status == 2 && task.errors.contains("stand in its stages"))
        let missing = try await Command.run(["predict", "text/none.recipe.json"] + pages)
        #expect(missing.status != 0 && missing.errors.contains("text/none.recipe.json: no such file"))
        let report = try await Command.run(["inspect", recipe])
        #expect(report.status == 0 && report.output.contains("stage 2        direction"))
        #expect(report.output.contains("corners of what stage 1 finds"))
    }

    @Test("Lines are drawn, but not over the pages")
    func drawing() async throws {
        try await withTemporaryFolder { folder in
            let drawn = folder.appending(path: "drawn").path
            let outcome = try await Command.run(["predict", recipe, "--quiet", "--draw", drawn] + pages)
            #expect(outcome.status == 0)
            let names = try FileManager.default.subpathsOfDirectory(atPath: drawn).filter { $0.hasSuffix(".jpg") }
            #expect(names.count == pages.count)
        }
    }

    @Test("Shards of every form become what one run writes", arguments: ["jsonl", "hocr", "plain", "csv"])
    func merging(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let common = ["predict", recipe, "--quiet", "--format", format] + pages
            #expect(try await Command.run(common + ["-o", path("whole")]).status == 0)
            for shard in 1...2 {
                let part = common + ["-o", path("part\(shard)"), "--shard", "\(shard)/2"]
                #expect(try await Command.run(part).status == 0)
            }
            let merge = try await Command.run([
                "merge", path("part1"), path("part2"), "-o", path("merged"), "--ordered",
            ])
            #expect(merge.status == 0, "\(merge.errors)")
            #expect(try content(path("merged")) == content(path("whole")))
        }
    }

    @Test("A run with other models or options of a stage does not go on")
    func identity() async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            let place = folder.appending(path: "text")
            try files.copyItem(at: Fixtures.folder.appending(path: "text"), to: place)
            let own = place.appending(path: "text.recipe.json")
            let command = ["predict", own.path, "--quiet", "-o", folder.appending(path: "a.jsonl").path] + pages
            #expect(try await Command.run(command).status == 0)
            let changed = try content(own.path).replacing(
                #""minimum_confidence": 0.9"#, with: #""minimum_confidence": 0.8"#)
            try changed.write(toFile: own.path, atomically: true, encoding: .utf8)
            let option = try await Command.run(command + ["--resume"])
            #expect(option.status == 2 && option.errors.contains("direction: confidence was 0.9 and is 0.8"))
            let model = try content(own.path).replacing("0.8", with: "0.9")
                .replacing(#""direction.onnx""#, with: #""other.onnx""#)
            try model.write(toFile: own.path, atomically: true, encoding: .utf8)
            try files.copyItem(at: place.appending(path: "direction.onnx"), to: place.appending(path: "other.onnx"))
            #expect(try await Command.run(command + ["--resume"]).status == 0)
            try files.removeItem(at: place.appending(path: "other.onnx"))
            try files.copyItem(at: place.appending(path: "recognizer.onnx"), to: place.appending(path: "other.onnx"))
            let other = try await Command.run(command + ["--resume"])
            #expect(other.status == 2)
        }
    }
}

/// The parts of an hOCR document, which a strict reader of XML accepts.
private final class XMLPage: NSObject, XMLParserDelegate {
    private(set) var pages = 0
    private(set) var errors = 0
    private(set) var lines: [String] = []
    private var text: String?

    init(_ document: String) throws {
        super.init()
        let parser = XMLParser(data: Data(document.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        switch attributes["class"] {
        case "ocr_page": pages += 1
        case "error": errors += 1
        case "ocr_line": text = ""
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text?.append(characters) }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard element == "span", let line = text else { return }
        lines.append(line)
        text = nil
    }
}
