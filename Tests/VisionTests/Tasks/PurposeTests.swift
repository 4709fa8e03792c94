import Apus
import Foundation
import Testing

/// What models are for, by what says so.
@Suite("What a model is for")
struct PurposeTests {
    /// A network whose outputs have the given names and extents for each picture.
    static func model(
        _ outputs: [(String, [Int])], metadata: [String: String] = [:], labels: Int? = nil, sigmoid: Bool = false
    ) throws -> Model {
        var graph = try Graph.build("made") { net in
            let pooled = net.input("image", .float32, [.batch, 3, 32, 64]).globalAveragePool().flatten()
            for (name, extents) in outputs {
                let numbers = pooled.linear(extents.reduce(1, *)).reshape([0] + extents)
                net.output(name, sigmoid ? numbers.sigmoid() : numbers)
            }
        }
        graph = try graph.seeded(1)
        graph.metadata = metadata
        var model = try Model(graph)
        if let labels { model.labels = Labels((0..<labels).map { "class \($0)" }) }
        return model
    }

    @Test("One output with a row of numbers is a classifier's", arguments: [[5], [5, 1, 1]])
    func classifier(_ extents: [Int]) throws {
        #expect(try Self.model([("y", extents)]).purpose.task == .classify)
    }

    @Test("Names of outputs say what they are not and what they are")
    func names() throws {
        let embedding = try Self.model([("image_embeds", [8])]).purpose
        #expect(embedding.task == .embed)
        #expect(embedding.evidence == "output \"image_embeds\" has the name of an embedding")
        #expect(try Self.model([("landmarks", [10])]).purpose.task == nil)
        // Labels tell more than names.
        #expect(try Self.model([("features", [8])], labels: 8).purpose.task == .classify)
    }

    @Test("What nothing tells stays open, with what the outputs look like and the tasks that could read them")
    func open() throws {
        let tokens = try Self.model([("y", [7, 12])]).purpose
        #expect(tokens.task == nil && tokens.candidates.contains(.embed) && tokens.candidates.contains(.raw))
        #expect(!tokens.candidates.contains(.classify))
        #expect(tokens.evidence.hasSuffix("its output is \"y\" [1, 7, 12] (7 rows of 12 numbers)"))
        let two = try Self.model([("a", [213]), ("b", [15])])
        #expect(two.purpose.task == nil)
        #expect(throws: ApusError.self) { try two.taskForPredictions() }
        #expect(try Self.model([("a", [213]), ("b", [15])], labels: 15).purpose.task == .classify)
        // One number is a class only where it is a confidence.
        #expect(try Self.model([("y", [1])]).purpose.task == nil)
        #expect(try Self.model([("y", [1])], sigmoid: true).purpose.task == .classify)
    }

    @Test("Labels that fit no output are no evidence, and are named")
    func foreignLabels() throws {
        let vectors = try Self.model([("y", [64])], labels: 2).purpose
        #expect(vectors.task == nil && vectors.candidates.contains(.embed))
        let output = #"its output is "y" [1, 64] (64 numbers)"#
        #expect(vectors.evidence == "nothing says what this network is for; its 2 labels fit no output; " + output)
        #expect(try Self.model([("y", [64])], labels: 64).purpose.task == .classify)
    }

    @Test("Boxes are found where as many classes have names as the outputs have")
    func boxes() throws {
        let outputs = [("output0", [7, 42])]
        #expect(try Self.model(outputs, labels: 3).purpose.task == .detect)
        let unnamed = try Self.model(outputs).purpose
        #expect(unnamed.task == nil && unnamed.candidates.contains(.detect))
    }

    @Test(
        "Metadata name the task, or one that there is not",
        arguments: [
            ("task", "classify", VisionTask.classify), ("task", "pose", .pose),
            ("com.apple.coreml.model.preview.type", "imageClassifier", .classify),
            ("name", "HandLandmarkDetector", .pose), ("name", "Face landmarks detection", .landmarks),
            ("apus.task", "embed", .embed),
        ] as [(String, String, VisionTask?)])
    func metadata(_ key: String, _ value: String, _ task: VisionTask?) async throws {
        try await withModelFile(metadata: [key: value]) { model, _ in
            #expect(model.purpose.task == task)
            #expect(model.purpose.evidence.contains("\"\(value)\" from \"\(key)\" of the model's metadata"))
        }
    }

    @Test("Files beside a model name its task, and exports keep it")
    func files() async throws {
        try await withModelFile { _, file in
            let folder = file.deletingLastPathComponent()
            let configuration = folder.appending(path: "made.config.json")
            try Data(#"{"architectures": ["Dinov2Model"]}"#.utf8).write(to: configuration)
            #expect(try Model(contentsOf: file.path).purpose.task == .embed)
            try Data(#"{"problem_type": "regression"}"#.utf8).write(to: configuration)
            #expect(try Model(contentsOf: file.path).purpose.task == .regress)
            try Data(#"{"architectures": ["MaskFormerForInstanceSegmentation"]}"#.utf8).write(to: configuration)
            #expect(try Model(contentsOf: file.path).purpose.task == nil)
            let sidecar = folder.appending(path: "made.postprocess.json")
            try Data(#"{"task": "raw", "labels": ["a", "b"]}"#.utf8).write(to: sidecar)
            let described = try Model(contentsOf: file.path)
            #expect(described.purpose.task == .raw && described.labels?.count == 2 && described.detection == nil)
            let exported = folder.appending(path: "exported.onnx").path
            try described.export(to: exported)
            #expect(try Model(contentsOf: exported).purpose.task == .raw)
            try Data(#"{"task": "sing"}"#.utf8).write(to: sidecar)
            #expect(throws: ApusError.self) { try Model(contentsOf: file.path) }
        }
    }

    @Test("A network that ends in Sigmoid gives the confidence of each class by itself")
    func sigmoid() async throws {
        let model = try Self.model([("y", [4])], sigmoid: true)
        let classifier = try await Classifier(model)
        let answer = try await classifier.predict(.array(Tensor(zeros: .float32, shape: [3, 32, 64])))
        #expect(answer.confidences == answer.scores)
        // Pictures of zeros leave the biases, which are small.
        #expect(answer.confidences.allSatisfy { abs($0 - 0.5) < 0.4 } && answer.confidences.reduce(0, +) > 1.2)
    }

    @Test("Logits of classes that do not exclude one another become confidences by Sigmoid")
    func independentLogits() async throws {
        try await withModelFile { _, file in
            let configuration = file.deletingLastPathComponent().appending(path: "made.config.json")
            try Data(#"{"problem_type": "multi_label_classification"}"#.utf8).write(to: configuration)
            let classifier = try await Classifier(Model(contentsOf: file.path))
            let answer = try await classifier.predict(.array(Tensor(zeros: .float32, shape: [3, 32, 64])))
            for (confidence, score) in zip(answer.confidences, answer.scores) {
                #expect(abs(confidence - 1 / (1 + exp(-score))) < 1e-6)
            }
        }
    }

    @Test("Numbers that are not scores of classes are never made confidences")
    func refused() async throws {
        for extents in [[7, 12], [3, 8, 8], [1]] {
            let classifier = try await Classifier(try Self.model([("y", extents)]))
            await #expect(throws: ApusError.self) {
                try await classifier.predict(.array(Tensor(zeros: .float32, shape: [3, 32, 64])))
            }
        }
    }

    /// Calls `body` with a classifier of four classes, and its file.
    private func withModelFile(
        metadata: [String: String] = [:], _ body: (Model, URL) async throws -> Void
    ) async throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let file = folder.appending(path: "made.onnx")
        try Self.model([("y", [4])], metadata: metadata).export(to: file.path)
        // An export leaves the entries of Apus out, unless something says them.
        guard let task = metadata["apus.task"] else { return try await body(Model(contentsOf: file.path), file) }
        let sidecar = folder.appending(path: "made.postprocess.json")
        try Data("{\"task\": \"\(task)\"}".utf8).write(to: sidecar)
        let exported = folder.appending(path: "exported.onnx")
        try Model(contentsOf: file.path).export(to: exported.path)
        try await body(Model(contentsOf: exported.path), exported)
    }
}
