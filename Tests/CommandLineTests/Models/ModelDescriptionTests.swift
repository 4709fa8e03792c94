import Apus
import Foundation
import TestSupport
import Testing

/// Descriptions of pictures, classes and objects in models: `inspect` shows what `predict` uses, and models written by
/// `export` or `quantize` have the same description.
@Suite("What a model says about pictures and classes")
struct ModelDescriptionTests {
    /// Writes `open.onnx`, a detector in Ultralytics' form with open extents, whose boxes depend on the picture.
    private func makeDetector(in folder: URL) throws {
        var graph = try Graph.build("open") { net in
            let image = net.input("images", .float32, [.batch, 3, 32, 64])
            let heads = [8, 16, 32].map { stride in
                image.convolution(6, kernel: stride, stride: stride).reshape([0, 6, -1])
            }
            guard let middle = try? Tensor([32, 16, 16, 8, 0, 0.5] as [Float], shape: [1, 6, 1]) else { return }
            let numbers = net.concat(heads, axis: 2).added(to: net.constant("middle", middle))
            let parts = numbers.split([4, 2], axis: 1)
            net.output("output0", net.concat([parts[0], parts[1].sigmoid()], axis: 1))
        }
        graph = try graph.seeded(1)
        graph.values[graph.inputs[0].index].shape = Shape([.batch, 3, .symbol("height"), .symbol("width")])
        graph.values[graph.outputs[0].index].shape = nil
        graph.metadata = ["task": "detect", "imgsz": "[32, 64]", "names": "{0: 'cat', 1: 'dog'}"]
        try Model(graph).export(to: folder.appending(path: "open.onnx").path)
    }

    private func inspected(_ file: String, _ folder: URL) async throws -> [String: Any] {
        let outcome = try await Command.run("inspect", file, "--json", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    @Test("inspect shows the labels, steps and decoder that predict uses, and where each comes from")
    func detector() async throws {
        try await withTemporaryFolder { folder in
            try makeDetector(in: folder)
            let report = try await inspected("open.onnx", folder)
            let labels = try #require(report["labels"] as? [String: String])
            #expect(labels["description"] == "2 names")
            let steps = try #require(report["preprocessing"] as? [String: String])
            #expect(steps["origin"] == "customary for decoder yolov8" && steps["file"] == nil)
            #expect(steps["description"]?.hasPrefix("fit into 64x32 as ultralytics does on rgb(114 114 114)") == true)
            #expect((report["objects"] as? String) == "decoder yolov8, told by the outputs")
            let text = try await Command.run("inspect", "open.onnx", in: folder)
            #expect(text.lines.contains { $0.hasPrefix("labels ") && $0.contains("2 names, from ") })
            #expect(!text.output.contains("apus.labels"))

            // A sidecar without labels does not change them.
            let sidecar = folder.appending(path: "open.postprocess.json")
            try Data(#"{"iou_threshold": 0.3}"#.utf8).write(to: sidecar)
            let other = try #require(try await inspected("open.onnx", folder)["labels"] as? [String: String])
            #expect(other["description"] == "2 names")
            try Data(#"{"labels": ["a", "b", "c"]}"#.utf8).write(to: sidecar)
            let beside = try #require(try await inspected("open.onnx", folder)["labels"] as? [String: String])
            #expect(beside["description"] == "3 names" && beside["file"] == "open.postprocess.json")
        }
    }

    @Test("Steps that were guessed are called so")
    func guesses() async throws {
        let zoo = try await inspected("zoo:squeezenet1_1", Fixtures.folder)
        let guessed = try #require(zoo["preprocessing"] as? [String: String])
        #expect(guessed["origin"]?.hasPrefix("guessed") == true && guessed["file"] == nil)
        let read = try #require(
            try await inspected(Fixtures.model, Fixtures.folder)["preprocessing"] as? [String: String])
        let file = "models/squeezenet1_1.preprocessor_config.json"
        #expect(read["file"] == file && read["origin"] == "from \(file)")
        let parameters = try await inspected("tflite/parameters.tflite", Fixtures.folder)
        let steps = try #require(parameters["preprocessing"] as? [String: String])
        #expect(steps["origin"]?.contains("SL_PARAMSv1") == true)
        #expect(steps["description"]?.contains("standardize each picture") == true)
    }

    @Test("An exported network alone predicts what its source predicts with the files beside it")
    func exported() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "alone.onnx").path
            let photos = Fixtures.path("photos")
            let expected = try await Command.run("predict", Fixtures.model, photos, "--quiet")
            #expect(expected.status == 0 && expected.lines.count == 4)
            #expect(try await Command.run("export", Fixtures.model, "-o", file).status == 0)
            let alone = try await Command.run("predict", file, photos, "--quiet")
            #expect(alone.status == 0 && alone.errors.isEmpty && alone.output == expected.output)
            // The same holds for an exported model, and with pixels as input.
            let again = folder.appending(path: "again.onnx").path
            #expect(try await Command.run("export", file, "--pixels", "-o", again).status == 0)
            let found = try await Command.run("predict", again, photos, "--quiet", "--top", "1")
            #expect(try Row.all(found.lines).map { $0.predictions?.first?.label } == firstLabels(expected))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }

    @Test("A quantized network alone gives the classes of its source")
    func quantized() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "q.onnx").path
            let photos = Fixtures.path("photos")
            let outcome = try await Command.run(
                "quantize", Fixtures.model, "--calibrate", photos, "--pictures", "2", "--float-layers", "1", "-o", file)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            let expected = try await Command.run("predict", Fixtures.model, photos, "--quiet")
            let found = try await Command.run("predict", file, photos, "--quiet")
            #expect(found.status == 0 && found.errors.isEmpty)
            #expect(try firstLabels(found) == firstLabels(expected))
            #expect(try firstLabels(found).allSatisfy { $0 != nil })
        }
    }

    private func firstLabels(_ outcome: Command.Outcome) throws -> [String?] {
        try Row.all(outcome.lines).map { $0.predictions?.first?.label }
    }

    @Test("A detector of open extents is quantized at its imgsz, or at the extents given, and finds the same")
    func quantizedDetector() async throws {
        try await withTemporaryFolder { folder in
            try makeDetector(in: folder)
            let photo = Fixtures.path("photos/coffee.png")
            let options = ["--min-confidence", "0.01", "--max-objects", "1", "--quiet"]
            for shape in [[], ["--shape", "images=1,3,64,64"]] {
                let outcome = try await Command.run(
                    ["quantize", "open.onnx", "--calibrate", photo, "--float-layers", "0", "-o", "q.onnx"] + shape,
                    in: folder)
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
                let steps = try #require(try await inspected("q.onnx", folder)["preprocessing"] as? [String: String])
                let size = shape.isEmpty ? "64x32" : "64x64"
                #expect(steps["description"]?.hasPrefix("fit into \(size) as ultralytics does") == true)
                let found = try await Command.run(["predict", "q.onnx", photo] + options, in: folder)
                #expect(found.status == 0 && found.errors.isEmpty, "\(found.errors)")
                #expect(found.output.contains("cat") || found.output.contains("dog"))
                if shape.isEmpty {
                    let expected = try await Command.run(["predict", "open.onnx", photo] + options, in: folder)
                    let labels = try [expected, found].map { outcome -> String in
                        let parts = outcome.output.split(separator: "\"label\":")
                        return String(try #require(parts.dropFirst().first).prefix { $0 != "," })
                    }
                    #expect(labels[0] == labels[1])
                }
                try FileManager.default.removeItem(at: folder.appending(path: "q.onnx"))
            }
        }
    }

    /// A field of protobuf with few bytes.
    private func field(_ number: UInt8, _ content: Data) -> Data {
        Data([number << 3 | 2, UInt8(content.count)]) + content
    }

    @Test("Metadata that are damaged are named")
    func damagedMetadata() async throws {
        try await withTemporaryFolder { folder in
            for (key, text) in [
                ("apus.preprocessing", "{"), ("apus.labels", "5"), ("apus.postprocess", #"{"decoder": "none"}"#),
            ] {
                let graph = try Graph.build("small") { net in
                    net.output("y", net.input("x", .float32, [1, 3, 4, 4]).relu())
                }
                // Entries of the metadata are field 14, keys 1 and values 2 of these.
                let entry = field(1, Data(key.utf8)) + field(2, Data(text.utf8))
                try (Model(graph).onnx() + field(14, entry)).write(to: folder.appending(path: "bad.onnx"))
                let outcome = try await Command.run("inspect", "bad.onnx", in: folder)
                #expect(outcome.status == 3 && outcome.errorLines.count == 1)
                #expect(outcome.errors.hasPrefix("apus: bad.onnx: \"\(key)\" of its metadata: "), "\(outcome.errors)")
            }
        }
    }
}
