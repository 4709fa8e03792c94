import Apus
import Foundation
import TestSupport
import Testing

/// Poses, landmarks and objects with masks, as a user asks for them.
@Suite("apus predict: poses and instances")
struct PoseTests {
    private let photos = Fixtures.photos.map { Fixtures.path("photos/" + $0) }

    private func row(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("Poses are found without a word, in rows of every form, and drawn")
    func poses() async throws {
        try await withTemporaryFolder { folder in
            try FixedNetwork.writePoses(to: folder.appending(path: "pose.onnx"))
            let common = ["predict", "pose.onnx", photos[0], "--quiet"]
            let json = try row(try await Command.run(common, in: folder).output)
            let poses = try #require(json["poses"] as? [[String: Any]])
            #expect(poses.map { $0["confidence"] as? Double } == [0.875, 0.5] && json["width"] as? Int == 512)
            let points = try #require(poses[0]["keypoints"] as? [[String: Any]])
            #expect(points.map { $0["name"] as? String } == ["head", "tail"])
            #expect(points[0]["x"] as? Double == 0.375 && points[0]["confidence"] as? Double == 0.75)
            #expect(poses[0]["box"] as? [Double] == [0.25, 0.375, 0.5, 0.25])
            let csv = try await Command.run(common + ["--format", "csv"], in: folder)
            #expect(csv.output.split(separator: "\r\n").count == 5)
            #expect(csv.output.contains(",,0,0,person,0.875,0,head,0.375,0.5,,0.75,\r\n"))
            let table = try await Command.run(common + ["--format", "table", "--draw", "drawn"], in: folder)
            #expect(table.output.contains("person") && table.output.contains("1 of 2 points"))
            let drawings = try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: "drawn").path)
            #expect(drawings.filter { $0.hasSuffix(".jpg") }.count == 1)
            let coco = try await Command.run(common + ["--format", "coco", "--min-confidence", "0.6"], in: folder)
            let results = try JSONSerialization.jsonObject(with: Data(coco.output.utf8)) as? [[String: Any]]
            #expect(results?.count == 1 && results?[0]["category_id"] as? Int == 1)
            #expect(results?[0]["keypoints"] as? [Double] == [192, 256, 0.75, 320, 272, 0.25])
            let refused = try await Command.run(common + ["--format", "npy", "-o", "a"], in: folder)
            #expect(refused.status == 2 && refused.errors.contains("cannot hold poses"))
            let stored = try await Command.run(common + ["-o", "poses.sqlite"], in: folder)
            #expect(stored.status == 0, "\(stored.errors)")
            let rows = try SQLiteText.answer(
                "SELECT record, row, pose, class, label, name, x, z, confidence FROM poses ORDER BY row LIMIT 2",
                folder.appending(path: "poses.sqlite").path)
            #expect(
                String(decoding: rows, as: UTF8.self) == """
                    (0, 1, 0, 0, 'person', 'head', 0.375, None, 0.75)
                    (0, 2, 0, 0, 'person', 'tail', 0.625, None, 0.25)

                    """)
            let inspected = try await Command.run("inspect", "pose.onnx", in: folder)
            #expect(inspected.output.contains("decoder yolo-pose, told by the outputs"))
        }
    }

    @Test("Objects with masks are found, their masks are numbered, and runs, counts and polygons say the same")
    func instances() async throws {
        try await withTemporaryFolder { folder in
            try FixedNetwork.writeInstances(to: folder.appending(path: "segment.onnx"))
            let common = ["predict", "segment.onnx", photos[0], "--quiet"]
            let json = try row(try await Command.run(common + ["--masks", "masks"], in: folder).output)
            let found = try #require(json["instances"] as? [[String: Any]])
            #expect(found.map { $0["label"] as? String } == ["cat", "dog"])
            #expect(found.map { $0["area"] as? Int } == [512 * 256, 128 * 128])
            let path = try #require(json["mask"] as? String)
            let mask = try Image(decoding: Data(contentsOf: folder.appending(path: "masks/" + path)))
            #expect(mask.width == 512 && mask.height == 512)
            let polygons = try row(try await Command.run(common + ["--mask-form", "polygons"], in: folder).output)
            let objects = try #require(polygons["instances"] as? [[String: Any]])
            #expect(objects[0]["segmentation"] as? [[Int]] == [[256, 0, 256, 512, 0, 512, 0, 0]])
            #expect(objects[1]["segmentation"] as? [[Int]] == [[192, 192, 192, 320, 64, 320, 64, 192]])
            #expect((objects[0]["holes"] as? [Any])?.isEmpty == true)
            let cut = try row(try await Command.run(common + ["--cutouts", "cut"], in: folder).output)
            let file = folder.appending(path: "cut/\(try #require(cut["cutout"] as? String))")
            let pixels = [UInt8](try Data(contentsOf: file))
            // Eight bits of red, green, blue and opacity.
            #expect(Array(pixels[24..<26]) == [8, 6] && String(decoding: pixels, as: UTF8.self).contains("--cutouts"))
            let counts = try row(try await Command.run(common + ["--mask-form", "counts"], in: folder).output)
            let runs = (counts["instances"] as? [[String: Any]])?.first?["segmentation"] as? [String: Any]
            #expect(runs?["counts"] as? [Int] == [0, 131_072, 131_072] && runs?["size"] as? [Int] == [512, 512])
            let csv = try await Command.run(common + ["--format", "csv"], in: folder)
            #expect(csv.output.contains(",,,2,1,dog,0.5,16384,0.125,0.375,0.25,0.25,\r\n"))
            let coco = try await Command.run(common + ["--format", "coco"], in: folder)
            let results = try JSONSerialization.jsonObject(with: Data(coco.output.utf8)) as? [[String: Any]]
            #expect(results?.map { $0["category_id"] as? Int } == [0, 1])
            #expect((results?[0]["segmentation"] as? [String: Any])?["counts"] is String)
            let outlines = try await Command.run(common + ["--format", "coco", "--mask-form", "polygons"], in: folder)
            let borders = try JSONSerialization.jsonObject(with: Data(outlines.output.utf8)) as? [[String: Any]]
            #expect(borders?[0]["segmentation"] as? [[Int]] == [[256, 0, 256, 512, 0, 512, 0, 0]])
        }
    }

    @Test("Label Studio gets a rectangle with points for each person, and polygons for masks")
    func labelStudio() async throws {
        try await withTemporaryFolder { folder in
            try FixedNetwork.writePoses(to: folder.appending(path: "pose.onnx"))
            try FixedNetwork.writeInstances(to: folder.appending(path: "segment.onnx"))
            func regions(_ model: String) async throws -> [[String: Any]] {
                let outcome = try await Command.run(
                    "predict", model, photos[0], "--quiet", "--format", "label-studio", in: folder)
                let tasks = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
                let prediction = (try #require(tasks)[0]["predictions"] as? [[String: Any]])?.first
                #expect(prediction?["score"] as? Double == 0.875)
                return try #require(prediction?["result"] as? [[String: Any]])
            }
            let poses = try await regions("pose.onnx")
            #expect(
                poses.map { $0["type"] as? String } == [
                    "rectanglelabels", "keypointlabels", "keypointlabels", "rectanglelabels", "keypointlabels",
                    "keypointlabels",
                ])
            #expect(poses.map { $0["parentID"] as? String } == [nil, "1", "1", nil, "4", "4"])
            #expect(poses[0]["original_width"] as? Int == 512)
            let box = try #require(poses[0]["value"] as? [String: Any])
            #expect(box["rectanglelabels"] as? [String] == ["person"])
            #expect(["x", "y", "width", "height"].map { box[$0] as? Double } == [25, 37.5, 50, 25])
            let point = try #require(poses[1]["value"] as? [String: Any])
            #expect(point["keypointlabels"] as? [String] == ["head"])
            #expect([point["x"], point["y"]].map { $0 as? Double } == [37.5, 50])
            #expect(poses[1]["score"] as? Double == 0.75 && poses[1]["from_name"] as? String == "keypoint")
            let masks = try await regions("segment.onnx")
            #expect(masks.map { $0["type"] as? String } == ["polygonlabels", "polygonlabels"])
            let outline = try #require(masks[1]["value"] as? [String: Any])
            #expect(outline["polygonlabels"] as? [String] == ["dog"] && outline["closed"] as? Bool == true)
            #expect(outline["points"] as? [[Double]] == [[37.5, 37.5], [37.5, 62.5], [12.5, 62.5], [12.5, 37.5]])
        }
    }

    @Test(
        "A run that stopped goes on to the same rows, and parts join to them",
        arguments: ["jsonl", "csv", "coco", "label-studio"])
    func resuming(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            try FixedNetwork.writePoses(to: folder.appending(path: "pose.onnx"))
            try FixedNetwork.writeInstances(to: folder.appending(path: "segment.onnx"))
            func content(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }
            for model in ["pose", "segment"] {
                let inputs = [photos[0], Fixtures.path("images/bad/zeros.png")] + photos.dropFirst()
                let common = ["predict", "\(model).onnx"] + inputs + ["--format", format, "--quiet"]
                #expect(try await Command.run(common + ["-o", "\(model)-whole"], in: folder).status == 1)
                let stopped = common + ["-o", "\(model)-part", "--batch", "1", "--on-error", "stop"]
                #expect(try await Command.run(stopped, in: folder).status == 7)
                #expect(try await Command.run(common + ["-o", "\(model)-part", "--resume"], in: folder).status == 1)
                #expect(try content("\(model)-whole") == content("\(model)-part"))
                for part in ["1/2", "2/2"] {
                    let name = "\(model)-\(part.prefix(1))"
                    _ = try await Command.run(common + ["-o", name, "--shard", part], in: folder)
                }
                let merged = try await Command.run(
                    "merge", "\(model)-1", "\(model)-2", "-o", "\(model)-merged", "--ordered", in: folder)
                #expect(merged.status <= 1, "\(merged.errors)")
                #expect(try content("\(model)-merged") == content("\(model)-whole"))
            }
        }
    }

    @Test("Options that belong to other tasks are refused by name")
    func refused() async throws {
        try await withTemporaryFolder { folder in
            try FixedNetwork.writePoses(to: folder.appending(path: "pose.onnx"))
            for (options, message) in [
                (["--mask-form", "counts", "--task", "pose"], "--mask-form belongs to --task segment"),
                (["--point-units", "pixels", "--task", "raw"], "--point-units belongs to"),
                (["--task", "pose", "--decoder", "yolox"], "leave out the options about them"),
                (["--task", "pose", "--decoder", "simcc"], "decoder simcc"),
                (["--task", "landmarks"], "no decoder of points knows the outputs"),
                (["--task", "pose", "--masks", "masks"], "--masks takes what --task segment gives"),
                (["--task", "pose", "--pooling", "first"], "--pooling and --normalize belong to --task embed"),
                (["--task", "pose", "--no-normalize"], "--pooling and --normalize belong to --task embed"),
                (["--task", "pose", "--image-format", "jpeg"], "--image-format is the format of files of --images"),
            ] {
                let outcome = try await Command.run(["predict", "pose.onnx", photos[0]] + options, in: folder)
                #expect(outcome.status == 2 && outcome.errors.contains(message), "\(options): \(outcome.errors)")
            }
            let sidecar = folder.appending(path: "pose.postprocess.json")
            try Data(#"{"task": "pose", "keypoints": ["a", "b"], "skeleton": [[0]]}"#.utf8).write(to: sidecar)
            let damaged = try await Command.run("predict", "pose.onnx", photos[0], in: folder)
            #expect(damaged.status == 5 && damaged.errors.contains("\"skeleton\" must be a list of pairs"))
            try Data(#"{"task": "pose", "keypoints": ["a", "b"], "confidence_threshold": 0.6}"#.utf8).write(to: sidecar)
            let json = try row(try await Command.run("predict", "pose.onnx", photos[0], "--quiet", in: folder).output)
            let poses = try #require(json["poses"] as? [[String: Any]])
            let names = (poses[0]["keypoints"] as? [[String: Any]])?.map { $0["name"] as? String }
            #expect(poses.count == 1 && names == ["a", "b"])
        }
    }

    @Test("A stage of a recipe has its own decoding and confidence of poses")
    func stages() async throws {
        let things = Fixtures.path("parts/things.onnx")
        let picture = Fixtures.path("parts/squares.png")
        func recipe(_ members: String) -> String {
            #"""
            {"recipe": 1, "stages": [
                {"name": "things", "model": "\#(things)", "task": "detect", "preprocessing":
                    {"resize": "fill", "size": {"width": 64, "height": 32}, "scale": "1/255", "mean": 0, "std": 1}},
                {"name": "pose", "model": "pose.onnx", "task": "pose"\#(members)}]}
            """#
        }
        try await withTemporaryFolder { folder in
            try FixedNetwork.writePoses(to: folder.appending(path: "pose.onnx"))
            func poses(_ members: String) async throws -> [[String: Any]] {
                try Data(recipe(members).utf8).write(to: folder.appending(path: "poses.json"))
                let outcome = try await Command.run(
                    "predict", "poses.json", picture, "--quiet", "--recipe-files-anywhere", in: folder)
                let objects = try #require(try row(outcome.output)["objects"] as? [[String: Any]], "\(outcome.errors)")
                let pose = (objects.first?["answers"] as? [String: Any])?["pose"] as? [String: Any]
                return try #require(pose?["poses"] as? [[String: Any]], "\(outcome.output)")
            }
            let all = try await poses("")
            let named = try await poses(#", "postprocess": {"task": "pose", "keypoints": ["a", "b"]}"#)
            #expect(all.count > 1 && named.count == all.count)
            #expect((named[0]["keypoints"] as? [[String: Any]])?.map { $0["name"] as? String } == ["a", "b"])
            #expect(try await poses(#", "minimum_confidence": 0.6"#).count == 1)
            try Data(recipe(#", "postprocess": {"task": "pose"}"#).replacing(#""pose""#, with: #""embed""#).utf8)
                .write(to: folder.appending(path: "embed.json"))
            let refused = try await Command.run(
                "predict", "embed.json", picture, "--recipe-files-anywhere", in: folder)
            let message = "\"postprocess\", which the task embed does not read"
            #expect(refused.status == 5 && refused.errors.contains(message), "\(refused.errors)")
        }
    }
}
