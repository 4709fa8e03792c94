import Apus
import Foundation
import TestSupport
import Testing

/// Finding objects with a network that gives the same boxes for every picture: two overlapping boxes of one class, and
/// one of another.
@Suite("apus predict: objects")
struct DetectionTests {
    private struct Row: Decodable {
        struct Object: Decodable {
            let index: Int
            let label: String?
            let confidence: Double
            let box: [Double]
            let track: Int?
        }

        let id: String
        let time: Double?
        let width: Int?
        let height: Int?
        let objects: [Object]?
        let error: Apus.RecordError?
    }

    private func makeModel(in folder: URL) throws {
        try FixedNetwork.writeDetector(to: folder.appending(path: "fixed.onnx"))
    }

    private func parsed(_ outcome: Command.Outcome) throws -> [Row] {
        try outcome.lines.map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }

    @Test("Boxes come as JSON Lines, in parts of the upright picture; errors beside them")
    func jsonLines() async throws {
        try await withTemporaryFolder { folder in
            try makeModel(in: folder)
            let outcome = try await Command.run(
                "predict", "fixed.onnx", Fixtures.path("photos/coffee.png"), Fixtures.path("images/bad/zeros.png"),
                "--task", "detect", "--quiet", in: folder)
            #expect(outcome.status == 1)
            let rows = try parsed(outcome)
            #expect(rows.count == 2)
            let objects = try #require(rows[0].objects)
            #expect(objects.map(\.index) == [0, 1])
            #expect(objects.map(\.confidence) == [0.75, 0.5])
            // 600 × 400 lies in columns 8 to 56 of the input.
            for (found, expected) in zip(objects[0].box, [1.0 / 3, 0.375, 1.0 / 3, 0.25]) {
                #expect(abs(found - expected) < 1e-5)
            }
            #expect(rows[0].width == 600 && rows[0].height == 400)
            #expect(rows[1].objects == nil && rows[1].error?.stage == "decode")
        }
    }

    @Test("A sidecar file says that the model finds objects, and how; options override it")
    func sidecar() async throws {
        try await withTemporaryFolder { folder in
            try makeModel(in: folder)
            let sidecar = """
                {"decoder": "yolov5", "labels": ["cat", "dog"], "iou_threshold": 1, "confidence_threshold": 0.4}
                """
            try Data(sidecar.utf8).write(to: folder.appending(path: "fixed.postprocess.json"))
            let photo = Fixtures.path("photos/coffee.png")
            let plain = try parsed(try await Command.run("predict", "fixed.onnx", photo, "--quiet", in: folder))
            #expect(plain[0].objects?.map(\.label) == ["cat", "cat", "dog"])
            let strict = try parsed(
                try await Command.run(
                    "predict", "fixed.onnx", photo, "--quiet", "--iou", "0.3", "--min-confidence", "0.6", in: folder))
            #expect(strict[0].objects?.map(\.label) == ["cat"])
            let agnostic = try parsed(
                try await Command.run(
                    "predict", "fixed.onnx", photo, "--quiet", "--iou", "0", "--class-agnostic", in: folder))
            #expect(agnostic[0].objects?.count == 1)
            let classes = try await Command.run(
                "predict", "fixed.onnx", photo, "--quiet", "--task", "classify", "--top", "1", in: folder)
            #expect(classes.status == 2 && classes.output.isEmpty)
            #expect(classes.errors.contains("\"boxes\" [1, 126, 7] (126 rows of 7 numbers) are not scores of classes"))
            try Data("{\"decoder\": 5}".utf8).write(to: folder.appending(path: "fixed.postprocess.json"))
            let damaged = try await Command.run("predict", "fixed.onnx", photo, in: folder)
            #expect(damaged.status == 5 && damaged.errors.contains("decoder"))
        }
    }

    @Test("COCO results are one JSON list in pixels, CSV has a row for each object, and tables are for people")
    func forms() async throws {
        try await withTemporaryFolder { folder in
            try makeModel(in: folder)
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: "000139.png").path,
                withDestinationPath: Fixtures.path("photos/coffee.png"))
            let common = ["predict", "fixed.onnx", "000139.png", "--task", "detect", "--quiet"]
            let coco = try await Command.run(common + ["--format", "coco", "-o", "boxes.json"], in: folder)
            #expect(coco.status == 0)
            let data = try Data(contentsOf: folder.appending(path: "boxes.json"))
            let results = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
            #expect(results.count == 2)
            #expect(results[0]["image_id"] as? Int == 139)
            #expect(results[1]["category_id"] as? Int == 1)
            #expect(results[0]["score"] as? Double == 0.75)
            let box = try #require(results[0]["bbox"] as? [Double])
            for (found, expected) in zip(box, [200.0, 150, 200, 100]) { #expect(abs(found - expected) < 0.01) }

            let csv = try await Command.run(common + ["--format", "csv"], in: folder).output
                .components(separatedBy: "\r\n")
            #expect(csv.count == 4 && csv[3].isEmpty)
            #expect(csv[0] == "id,error,time,index,label,confidence,x,y,width,height,track,warning")
            #expect(csv[2].hasPrefix("000139.png,,,1,,0.5,"))
            let table = try await Command.run(common + ["--format", "table"], in: folder).lines
            #expect(table.count == 2 && table[0].contains("200   150") && table[0].contains("75.00 %"))
            let document = try await Command.run(common + ["--json"], in: folder)
            #expect(try JSONSerialization.jsonObject(with: Data(document.output.utf8)) is [String: Any])
            let refused = try await Command.run(common + ["--format", "npy", "-o", "x.npy"], in: folder)
            #expect(refused.status == 2 && refused.errors.contains("objects"))
            #expect(try await Command.run(common + ["-o", "x.sqlite"], in: folder).status == 0)
            let stored = try SQLiteText.answer(
                """
                SELECT name, records.width, records.height, row, class, label, confidence, track, x1
                FROM records JOIN objects ON record = id ORDER BY row
                """, folder.appending(path: "x.sqlite").path)
            #expect(
                String(decoding: stored, as: UTF8.self) == """
                    ('000139.png', 600, 400, 1, 0, None, 0.75, None, None)
                    ('000139.png', 600, 400, 2, 1, None, 0.5, None, None)

                    """)
            let classes = try await Command.run(
                "predict", Fixtures.model, "photos/coffee.png", "--format", "coco", in: Fixtures.folder)
            #expect(classes.status == 2)
        }
    }

    @Test("A run of COCO results that is resumed gives the same file")
    func resuming() async throws {
        try await withTemporaryFolder { folder in
            try makeModel(in: folder)
            let bad = Fixtures.path("images/bad/zeros.png")
            let good = Fixtures.path("photos/coffee.png")
            let common = ["predict", "fixed.onnx", "--task", "detect", "--quiet", "--format", "coco", "-o", "a.json"]
            _ = try await Command.run(common + [good, bad, Fixtures.path("photos/rocket.jpg")], in: folder)
            let whole = try Data(contentsOf: folder.appending(path: "a.json"))
            _ = try await Command.run(
                common + [good, bad, Fixtures.path("photos/rocket.jpg"), "--on-error", "stop", "--batch", "1"],
                in: folder)
            #expect(try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "a.json"))) is [Any])
            _ = try await Command.run(
                common + [good, bad, Fixtures.path("photos/rocket.jpg"), "--resume"], in: folder)
            #expect(try Data(contentsOf: folder.appending(path: "a.json")) == whole)
        }
    }

    @Test("Pictures are drawn into a folder, as large as they were")
    func drawing() async throws {
        try await withTemporaryFolder { folder in
            try makeModel(in: folder)
            let outcome = try await Command.run(
                "predict", folder.appending(path: "fixed.onnx").path, "photos/coffee.png", "photos/rocket.jpg",
                "--task", "detect", "--draw", folder.appending(path: "drawn").path, "--quiet")
            #expect(outcome.status == 0)
            let drawn = try Image(decoding: Data(contentsOf: folder.appending(path: "drawn/photos/coffee.png.jpg")))
            let original = try Image(decoding: Fixtures.data("photos/coffee.png"))
            #expect(drawn.size == original.size && drawn != original)
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "drawn/photos/rocket.jpg").path))
        }
    }

    @Test("Frames carry their time, and things in them keep their numbers")
    func frames() async throws {
        try await withTemporaryFolder { folder in
            try makeModel(in: folder)
            try Data(repeating: 90, count: 64 * 32 * 4).write(to: folder.appending(path: "video.raw"))
            let outcome = try await Command.run(
                "predict", "fixed.onnx", "video.raw", "--frames", "64x32xgray@25", "--track", "--quiet", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let rows = try parsed(outcome)
            #expect(rows.map(\.time) == [0, 0.04, 0.08, 0.12])
            #expect(rows.allSatisfy { $0.objects?.map(\.track) == [1, 2] })
            let refused = try await Command.run(
                "predict", "fixed.onnx", "video.raw", "--frames", "64x32xgray@25", "--track", "--unordered", in: folder)
            #expect(refused.status == 2)
        }
    }

    @Test(
        "Wrong options are refused by name",
        arguments: [
            ["--decoder", "yolo99"], ["--iou", "2"], ["--max-objects", "0"], ["--task", "embed", "--draw", "x"],
        ])
    func usage(_ options: [String]) async throws {
        let outcome = try await Command.run(["predict", Fixtures.model, "photos"] + options)
        #expect(outcome.status == 2)
        #expect(outcome.errorLines.count == 1)
    }

    @Test("A type in Swift is written, named after its file")
    func generate() async throws {
        try await withTemporaryFolder { folder in
            let outcome = try await Command.run(
                "generate", Fixtures.model, "-o", folder.appending(path: "SqueezeNet.swift").path, "--public")
            #expect(outcome.status == 0 && outcome.output.isEmpty)
            let text = try String(contentsOf: folder.appending(path: "SqueezeNet.swift"), encoding: .utf8)
            #expect(text.contains("public final class SqueezeNet: Swift.Sendable {"))
            let printed = try await Command.run("generate", Fixtures.model, "--name", "SqueezeNet", "--public")
            #expect(printed.output == text)
        }
    }
}
