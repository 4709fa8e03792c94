import Foundation
import FoundationXML
import TestSupport
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
        #expect(cells.map(\.count) == [15, 15, 15] && cells[1][3] == "AB" && cells[2][5] == "180")
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

    @Test("A database has the lines of each page; a run that stopped goes on and shards join to the same")
    func database() async throws {
        try await withTemporaryFolder { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            func lines(_ name: String) throws -> String {
                let query = """
                    SELECT id, name, records.width, records.height, error_code, lines.*
                    FROM records LEFT JOIN lines ON record = id ORDER BY id, row
                    """
                return String(decoding: try SQLiteText.answer(query, path(name)), as: UTF8.self)
            }
            let pictures = [pages[0], "images/bad/zeros.png"] + pages.dropFirst()
            let common = ["predict", recipe, "--quiet", "--batch", "1"] + pictures
            #expect(try await Command.run(common + ["-o", path("whole.sqlite")]).status == 1)
            let whole = try lines("whole.sqlite").split(separator: "\n")
            let texts = ["AB", "BA", "CC", "BB", "BAC", "ABC", "CCAB", "AB", "ACB"]
            #expect(whole.count == texts.count + 2)
            #expect(texts.allSatisfy { text in whole.contains { $0.contains(", '\(text)', 0.") } })
            // A damaged picture, and one without text, have a record and no line.
            #expect(whole.count { $0.hasSuffix(String(repeating: ", None", count: 14) + ")") } == 2)
            #expect(whole.count { $0.contains("'unrecognized'") || $0.contains("'corrupt'") } == 1)
            let rows = try await Command.run(common).output.split(separator: "\n").map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            let last = try #require((rows.last?["lines"] as? [[String: Any]])?.last)
            let box = try #require(last["box"] as? [[Double]])
            let corners = box.joined().map { "\($0)" }.joined(separator: ", ")
            #expect(whole.last?.hasSuffix(", 180, \(corners))") == true)

            let stopped = common + ["-o", path("part.sqlite")]
            #expect(try await Command.run(stopped + ["--on-error", "stop"]).status == 7)
            #expect(try lines("part.sqlite") != lines("whole.sqlite"))
            #expect(try await Command.run(stopped + ["--resume"]).status == 1)
            #expect(try lines("part.sqlite") == lines("whole.sqlite"))
            for shard in 1...2 {
                let part = common + ["-o", path("\(shard).sqlite"), "--shard", "\(shard)/2"]
                #expect(try await Command.run(part).status < 2)
            }
            let merge = ["merge", path("1.sqlite"), path("2.sqlite"), "-o", path("all.sqlite"), "--ordered"]
            let merged = try await Command.run(merge)
            #expect(merged.status == 0, "\(merged.errors)")
            #expect(try lines("all.sqlite") == lines("whole.sqlite"))
            let names = ["whole", "part", "all", "1"].map { path("\($0).sqlite") }
            #expect(try await Command.run(["merge", "--verify"] + names).status == 0)
        }
    }

    @Test("Each page has a file of hOCR, whose name its row has; other answers have none")
    func pagesOfText() async throws {
        try await withTemporaryFolder { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let pictures = [pages[3], "images/bad/zeros.png", pages[1], pages[4]]
            let common = ["predict", recipe, "--quiet", "--batch", "1"] + pictures
            func run(_ name: String, _ options: [String] = []) async throws -> Int32 {
                try await Command.run(common + ["--hocr", path(name), "-o", path("\(name).jsonl")] + options).status
            }
            #expect(try await run("whole") == 1)
            let files = try FolderContent(path("whole"))
            #expect(Set(files.files.keys) == ["text/two.hocr", "text/empty.hocr", "text/upside_down.hocr"])
            let page = try XMLPage(content(path("whole/text/two.hocr")))
            #expect(page.pages == 1 && page.lines == ["ABC", "CCAB"] && page.errors == 0)
            #expect(try XMLPage(content(path("whole/text/empty.hocr"))).lines.isEmpty)
            #expect(try content(path("whole.jsonl")).contains("\"hocr\":\"text/two.hocr\""))
            #expect(try await run("part", ["--on-error", "stop"]) == 7)
            #expect(try FolderContent(path("part")) != files)
            #expect(try await run("part", ["--resume"]) == 1)
            #expect(try FolderContent(path("part")) == files)
            #expect(try content(path("part.jsonl")) == content(path("whole.jsonl")))
            try Data("<html/>".utf8).write(to: folder.appending(path: "whole/text/two.hocr"))
            #expect(try await run("whole") == 2)
            let classes = try await Command.run(
                "predict", Fixtures.model, pages[0], "--task", "classify", "--hocr", path("none"))
            #expect(classes.status == 2 && classes.errors.contains("--hocr takes what --task text gives"))
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
