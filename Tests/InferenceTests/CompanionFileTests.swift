import Apus
import Foundation
import Images
import TestSupport
import Testing

/// Files beside a model that say how pictures become numbers.
@Suite("Files beside a model")
struct CompanionFileTests {
    /// The model of three classes for pictures of 64 × 64, read with files beside it.
    private func model(_ files: [String: String]) throws -> Model {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "m.onnx").path
        try FixedOutputs.model([.init("y", [3], [0, 1, 0])]).export(to: path)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return try Model(contentsOf: path)
    }

    private static let steps = """
        "input_size": [3, 64, 64], "interpolation": "bicubic", "crop_pct": 0.95, "crop_mode": "center", \
        "mean": [0.1, 0.2, 0.3], "std": [0.4, 0.5, 0.6]
        """

    @Test("timm's config.json: mean, std, size, crop and interpolation, as timm evaluates")
    func timm() throws {
        let current = #"{"architecture": "resnet50", "num_classes": 3, "pretrained_cfg": {\#(Self.steps)}}"#
        let older = #"{"architecture": "resnet50", "num_classes": 3, \#(Self.steps)}"#
        for text in [current, older] {
            let model = try model(["config.json": text])
            let steps = try #require(model.preprocessing)
            #expect(steps.resizing == .shortestEdge(67) && steps.crop == ImageSize(width: 64, height: 64))
            #expect(steps.filter == .bicubic && steps.scale == 1 / 255)
            #expect(steps.mean == [0.1, 0.2, 0.3] && steps.standardDeviation == [0.4, 0.5, 0.6])
            #expect(model.origins.preprocessing?.description.contains("config.json") == true && model.labels == nil)
        }
        // A network that was made for another size than the file's.
        let other = current.replacing("[3, 64, 64]", with: "[3, 224, 224]")
        #expect(try model(["config.json": other]).preprocessing?.resizing == .shortestEdge(67))
        let tested = other.replacing(
            #""crop_pct""#, with: #""test_input_size": [3, 64, 64], "test_crop_pct": 1.0, "crop_pct""#)
        #expect(try model(["config.json": tested]).preprocessing?.resizing == .shortestEdge(64))
        let squash = current.replacing(#""center""#, with: #""squash""#)
        #expect(
            try model(["config.json": squash]).preprocessing?.resizing == .exact(ImageSize(width: 67, height: 67)))
        // A preprocessor_config.json says more.
        let both = try model(["config.json": current, "preprocessor_config.json": #"{"size": 64}"#])
        #expect(both.preprocessing?.mean == [0.5, 0.5, 0.5])
        for (bad, key) in [(#""center""#, "crop_mode"), (#""bicubic""#, "interpolation")] {
            let error = #expect(throws: ApusError.self) {
                try model(["config.json": current.replacing(bad, with: #""odd""#)])
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("\"\(key)\""))
        }
    }

    @Test("timm's names of classes, with their descriptions")
    func names() throws {
        let names = #""label_names": ["a", "b", "c"]"#
        let plain = #"{"architecture": "x", \#(names), "pretrained_cfg": {\#(Self.steps)}}"#
        #expect(try model(["config.json": plain]).labels == Labels(["a", "b", "c"]))
        let inside = #"""
            {"architecture": "x", "pretrained_cfg": {\#(Self.steps), \#(names), "label_descriptions": {"b": "bird"}}}
            """#
        #expect(try model(["m.config.json": inside]).labels == Labels(["a", "bird", "c"]))
    }

    @Test("processor_config.json: the steps of its image_processor, and nothing without one")
    func processor() throws {
        let text = #"{"processor_class": "P", "image_processor": {"size": 64, "image_mean": [0.1, 0.2, 0.3]}}"#
        #expect(try model(["processor_config.json": text]).preprocessing?.mean == [0.1, 0.2, 0.3])
        #expect(try model(["m.processor_config.json": text]).preprocessing?.mean == [0.1, 0.2, 0.3])
        #expect(try model(["processor_config.json": #"{"image_seq_length": 576}"#]).preprocessing == nil)
        let both = try model(["processor_config.json": text, "preprocessor_config.json": #"{"size": 64}"#])
        #expect(both.preprocessing?.mean == [0.1, 0.2, 0.3])
    }
}
