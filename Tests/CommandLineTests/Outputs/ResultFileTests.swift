import Foundation
import TestSupport
import Testing

/// Results in the forms of other tools: YOLO's text files, Pascal VOC's XML, and Label Studio's predictions.
@Suite("apus predict: results for other tools")
struct ResultFileTests {
    /// A name of a class with characters that mean something in XML and JSON.
    private static let label = "a<b>&\"c\" é"

    /// Makes a detector that finds the same two boxes in every picture, and a folder of photos.
    private func prepare(_ folder: URL) throws {
        try FixedNetwork.writeDetector(to: folder.appending(path: "fixed.onnx"))
        let labels = try JSONSerialization.data(withJSONObject: [Self.label, "other"])
        try labels.write(to: folder.appending(path: "names.json"))
        try FileManager.default.createDirectory(at: folder.appending(path: "in"), withIntermediateDirectories: true)
        for (name, photo) in [("x.png", "coffee.png"), ("x.jpg", "rocket.jpg"), ("y & z.png", "chelsea.png")] {
            try Fixtures.data("photos/\(photo)").write(to: folder.appending(path: "in/\(name)"))
        }
        try Data("no picture".utf8).write(to: folder.appending(path: "in/bad.png"))
    }

    private let common = [
        "predict", "fixed.onnx", "in", "--task", "detect", "--labels", "names.json", "--quiet",
    ]

    /// The files of a folder and its subfolders, with their texts.
    private func texts(_ folder: URL) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains(".") }
        return try names.reduce(into: [:]) {
            $0[$1] = try String(contentsOf: folder.appending(path: $1), encoding: .utf8)
        }
    }

    @Test("YOLO's files have a line for each box, and those of pictures with equal names stay apart")
    func yolo() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let options = ["--yolo", "labels", "-o", "a.jsonl"]
            #expect(try await Command.run(common + options, in: folder).status == 1)
            let files = try texts(folder.appending(path: "labels"))
            #expect(files.count == 3 && files.keys.contains { $0.hasSuffix("/y & z.txt") })
            for text in files.values {
                let lines = text.split(separator: "\n").map {
                    $0.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
                }
                #expect(lines.count == 2 && lines.allSatisfy { $0.count == 6 })
                #expect(lines[0][0] == 0 && lines[0][5] == 0.75 && lines[1][0] == 1 && lines[1][5] == 0.5)
            }
            // The middle of the box is that of every picture, but for the rounding of the border.
            let square = try #require(files.keys.first { $0.hasSuffix("y & z.txt") })
            let numbers = (files[square] ?? "").split(whereSeparator: \.isWhitespace)
            #expect(abs((Double(numbers[1]) ?? 0) - 0.5) < 0.02 && abs((Double(numbers[2]) ?? 0) - 0.5) < 0.02)
            let rows = try String(contentsOf: folder.appending(path: "a.jsonl"), encoding: .utf8)
            #expect(rows.contains("\"yolo\":\"in/x.txt\"") && rows.contains("\"yolo\":\"in/x-"))
            // The same run writes the same files over its own, and no one else's.
            #expect(try await Command.run(common + options, in: folder).status == 1)
            #expect(try texts(folder.appending(path: "labels")) == files)
            try Data("0 1 1 1 1\n".utf8).write(to: folder.appending(path: "labels/in/y & z.txt"))
            let refused = try await Command.run(common + options, in: folder)
            #expect(refused.status == 2 && refused.errors.contains("was not made by an earlier apus predict"))
        }
    }

    @Test("A picture without objects has a file without lines, which is no other picture's")
    func empty() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let options = ["--yolo", "labels", "--min-confidence", "0.9", "-o", "a.jsonl"]
            #expect(try await Command.run(common + options, in: folder).status == 1)
            let files = try texts(folder.appending(path: "labels"))
            #expect(files.count == 3 && files.values.allSatisfy { $0.allSatisfy(\.isWhitespace) && !$0.contains("\n") })
        }
    }

    @Test("Pascal VOC's files escape names, and count pixels from 1")
    func voc() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            #expect(try await Command.run(common + ["--voc", "xml", "-o", "a.jsonl"], in: folder).status == 1)
            let files = try texts(folder.appending(path: "xml"))
            #expect(files.count == 3)
            let name = try #require(files.keys.first { files[$0]?.contains("<filename>x.png</filename>") == true })
            let text = files[name] ?? ""
            #expect(text.contains("<name>a&lt;b&gt;&amp;&quot;c&quot; é</name>"))
            #expect(text.contains("<bndbox><xmin>201</xmin><ymin>151</ymin><xmax>400</xmax><ymax>250</ymax></bndbox>"))
            #expect(text.contains("<width>600</width><height>400</height>"))
            #expect(files.values.contains { $0.contains("<filename>y &amp; z.png</filename>") })
            for text in files.values {
                #expect(text.contains("  <!-- Written by apus predict, "))
                #expect(try XMLParsing.isWellFormed(text.replacing(/<!--.*-->/, with: "")))
            }
        }
    }

    @Test(
        "A run that stopped goes on, to the same rows and files", arguments: ["--yolo", "--voc"],
        ["jsonl", "label-studio"])
    func resuming(option: String, format: String) async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            func arguments(_ name: String) -> [String] {
                common + [option, name, "-o", "\(name).rows", "--format", format, "--batch", "1"]
            }
            #expect(try await Command.run(arguments("whole"), in: folder).status == 1)
            #expect(try await Command.run(arguments("part") + ["--on-error", "stop"], in: folder).status == 7)
            let count = try texts(folder.appending(path: "part")).count
            #expect(count < 3)
            #expect(try await Command.run(arguments("part") + ["--resume"], in: folder).status == 1)
            let rows = try ["whole", "part"].map { try Data(contentsOf: folder.appending(path: "\($0).rows")) }
            #expect(rows[0] == rows[1])
            #expect(try texts(folder.appending(path: "whole")) == texts(folder.appending(path: "part")))
            let other = try await Command.run(
                common + ["-o", "part.rows", "--format", format, "--batch", "1", "--resume"], in: folder)
            #expect(other.status == 2 && other.errors.contains("was written and is not given"))
        }
    }

    @Test("Label Studio's predictions are tasks with rectangles in percent, or choices")
    func labelStudio() async throws {
        try await withTemporaryFolder { folder in
            try prepare(folder)
            let options = ["--format", "label-studio", "-o", "tasks.json"]
            #expect(try await Command.run(common + options, in: folder).status == 1)
            func tasks(_ name: String) throws -> [[String: Any]] {
                let data = try Data(contentsOf: folder.appending(path: name))
                return try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
            }
            let found = try tasks("tasks.json")
            #expect(
                found.count == 3 && (found[0]["data"] as? [String: String])?["image"]?.hasSuffix("in/x.jpg") == true)
            let prediction = try #require((found[1]["predictions"] as? [[String: Any]])?.first)
            #expect(prediction["score"] as? Double == 0.75 && prediction["model_version"] as? String == "fixed.onnx")
            let results = try #require(prediction["result"] as? [[String: Any]])
            let value = try #require(results[0]["value"] as? [String: Any])
            #expect(value["rectanglelabels"] as? [String] == [Self.label])
            let edges = ["x", "y", "width", "height"].compactMap { value[$0] as? Double }
            for (edge, expected) in zip(edges, [100.0 / 3, 37.5, 100.0 / 3, 25]) {
                #expect(abs(edge - expected) < 1e-4)
            }
            let classes = try await Command.run(
                ["predict", Fixtures.path(Fixtures.model), "in/x.png", "--quiet"] + [
                    "--format", "label-studio", "-o", "b.json",
                ],
                in: folder)
            #expect(classes.status == 0)
            let chosen = try tasks("b.json")[0]["predictions"] as? [[String: Any]]
            let choice = (chosen?.first?["result"] as? [[String: Any]])?.first
            #expect((choice?["value"] as? [String: [String]])?["choices"] == ["espresso"])
        }
    }
}
