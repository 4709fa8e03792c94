import Apus
import Foundation
import TestSupport
import Testing

/// Masks of `apus predict --task segment`.
@Suite("apus predict: masks")
struct MaskTests {
    private let photos = Fixtures.photos.map { "photos/" + $0 }
    /// A layer of the committed network, whose maps stand for scores of classes.
    private let common = [
        "predict", Fixtures.model, "--task", "segment", "--output-name", "fire9/squeeze1x1", "--labels",
        "segmentation/channels.txt", "--resize", "fill",
        "--quiet",
    ]

    private func rows(_ path: String) throws -> [[String: Any]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// The files of a folder and its subfolders, with their contents.
    private func contents(_ folder: String) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".png") }
        return try names.reduce(into: [:]) { $0[$1] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($1)")) }
    }

    @Test("Masks have the size of their pictures, rows name them, and what fails has none")
    func masks() async throws {
        try await withTemporaryFolder { folder in
            let (masks, output) = (folder.appending(path: "masks").path, folder.appending(path: "a.jsonl").path)
            let inputs = [photos[2], "images/bad/zeros.png", photos[3]]
            let outcome = try await Command.run(common + inputs + ["--masks", masks, "-o", output])
            #expect(outcome.status == 1)
            let rows = try rows(output)
            #expect(rows.map { $0["mask"] as? String } == ["photos/coffee.png", nil, "photos/rocket.jpg.png"])
            #expect(try contents(masks).keys.sorted() == ["photos/coffee.png", "photos/rocket.jpg.png"])
            let mask = try Image(decoding: Data(contentsOf: URL(fileURLWithPath: masks + "/photos/coffee.png")))
            #expect(mask.width == rows[0]["width"] as? Int && mask.height == rows[0]["height"] as? Int)
            let segments = try #require(rows[0]["segments"] as? [[String: Any]])
            let area = segments.compactMap { $0["area"] as? Int }.reduce(0, +)
            #expect(segments.count > 5 && area == mask.width * mask.height)
            let first = try #require(segments[0]["segmentation"] as? [String: Any])
            #expect(first["size"] as? [Int] == [mask.height, mask.width] && first["counts"] is String)
            #expect(rows[1]["segments"] is NSNull && rows[1]["error"] is [String: Any])
        }
    }

    @Test("Files of objects are refused for the classes of pixels")
    func objects() async throws {
        let outcome = try await Command.run(common + [photos[2], "--yolo", "yolo"])
        #expect(
            outcome.status == 2 && outcome.errors.contains("--yolo takes objects, and this network gives the class"))
    }

    @Test("A run that stopped goes on, to the same rows and masks, whatever the batch", arguments: ["1", "4"])
    func resuming(_ batch: String) async throws {
        try await withTemporaryFolder { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let inputs = [photos[0], "images/bad/zeros.png"] + photos.dropFirst()
            let whole = common + inputs + ["--masks", path("whole"), "-o", path("whole.jsonl")]
            #expect(try await Command.run(whole).status == 1)
            let part = common + inputs + ["--masks", path("part"), "-o", path("part.jsonl"), "--batch", batch]
            #expect(try await Command.run(part + ["--on-error", "stop"]).status == 7)
            let other = try await Command.run(
                common + inputs + ["-o", path("part.jsonl"), "--resume", "--batch", batch])
            #expect(other.status == 2 && other.errors.contains("mask was written and is not given"))
            let left = folder.appending(path: "part/photos/coffee.png.0123456789abcdef.partial")
            try FileManager.default.createDirectory(
                at: left.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("half a mask".utf8).write(to: left)
            #expect(try await Command.run(part + ["--resume"]).status == 1)
            let files = try ["whole.jsonl", "part.jsonl"].map { try Data(contentsOf: URL(fileURLWithPath: path($0))) }
            #expect(files[0] == files[1])
            #expect(try contents(path("whole")) == contents(path("part")))
        }
    }

    @Test("Masks replace masks of the same picture, and nothing else")
    func replacing() async throws {
        try await withTemporaryFolder { folder in
            let masks = folder.appending(path: "masks")
            let file = masks.appending(path: "photos/coffee.png")
            let command = common + [photos[2], "--masks", masks.path]
            #expect(try await Command.run(command).status == 0)
            let content = try Data(contentsOf: file)
            #expect(try await Command.run(command).status == 0)
            #expect(try Data(contentsOf: file) == content)
            try Data("a stranger's".utf8).write(to: file)
            let refused = try await Command.run(command)
            #expect(refused.status == 2 && refused.errors.contains("--masks"))
            #expect(try Data(contentsOf: file) == Data("a stranger's".utf8))
        }
    }

    @Test("A folder of masks never replaces the pictures of the run")
    func inputs() async throws {
        try await withTemporaryFolder { folder in
            let photo = folder.appending(path: "coffee.png")
            try FileManager.default.copyItem(atPath: Fixtures.path(photos[2]), toPath: photo.path)
            let before = try Data(contentsOf: photo)
            var command = common + ["coffee.png", "--masks", ".", "--force"]
            command[1] = Fixtures.path(Fixtures.model)
            let outcome = try await Command.run(command, in: folder)
            #expect(outcome.status == 2 && outcome.errors.contains("is one of the inputs"))
            #expect(try Data(contentsOf: photo) == before)
        }
    }

    @Test("Segments are drawn, tables and CSV list them, and formats and options that do not fit are refused")
    func forms() async throws {
        try await withTemporaryFolder { folder in
            let drawn = folder.appending(path: "drawn").path
            let table = try await Command.run(common + [photos[2], "--draw", drawn, "--format", "table"])
            #expect(table.status == 0 && table.output.contains(" %"))
            let drawing = try Image(decoding: Data(contentsOf: URL(fileURLWithPath: drawn + "/photos/coffee.png.jpg")))
            let picture = try Image(decoding: Fixtures.data(photos[2]))
            #expect(drawing.size == picture.size && drawing != picture)
            let csv = try await Command.run(common + [photos[2], "--format", "csv"])
            #expect(
                csv.output.hasPrefix("id,error,mask,index,label,area,x,y,width,height,warning\r\nphotos/coffee.png,,,"))
            let array = try await Command.run(common + [photos[2], "-o", folder.appending(path: "a.npy").path])
            #expect(array.status == 2 && array.errors.contains("cannot hold segments"))
            let masks = try await Command.run(
                "predict", Fixtures.model, photos[2], "--task", "classify", "--masks",
                folder.appending(path: "masks").path)
            #expect(masks.status == 2 && masks.errors.contains("--masks takes what --task segment gives"))
        }
    }
}
