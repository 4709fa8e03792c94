import Apus
import Foundation

/// A folder with the files that examples name.
enum ExampleFolder {
    /// What examples call the fixtures.
    private static let fixtures = [
        "squeezenet1_1.onnx": "models/squeezenet1_1.onnx",
        "squeezenet1_1.config.json": "models/squeezenet1_1.config.json",
        "squeezenet1_1.preprocessor_config.json": "models/squeezenet1_1.preprocessor_config.json",
        "photos": "photos",
        "depth.onnx": "tasks/depth.onnx",
        "super_resolution.onnx": "tasks/super_open.onnx",
        "Cats.mlmodel": "coreml/classifiers/Cats.mlmodel",
        "tree_classifier.mlmodel": "coreml/features/tree_classifier.mlmodel",
        "Squares.mlmodel": "coreml/pipelines/Squares.mlmodel",
        "scene.png": "coreml/pipelines/scene.png",
        "instances.json": "evaluation/boxes.truth.json",
        "results.json": "evaluation/boxes.results.json",
        "colors.tflite": "tflite/labelled.tflite",
    ]

    /// Calls `body` with a new folder that is removed afterwards.
    static func with<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent("apus-documentation-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let tests = DocumentedBlock.repository.appendingPathComponent("Tests")
        for (name, fixture) in fixtures {
            let source = tests.appendingPathComponent("Fixtures/\(fixture)")
            try files.copyItem(at: source, to: folder.appendingPathComponent(name))
        }
        try files.createSymbolicLink(at: folder.appendingPathComponent("Tests"), withDestinationURL: tests)
        try Model(
            try Graph.build("segmenter") { net in
                net.output("scores", net.input("image", .float32, [.batch, 3, 32, 32]).convolution(4, kernel: 1))
            }.seeded(1)
        ).export(to: folder.appendingPathComponent("segmenter.onnx").path)
        try writeDetector(to: folder.appendingPathComponent("detector.onnx"))
        try writePoses(to: folder.appendingPathComponent("pose.onnx"))
        try writeInstances(to: folder.appendingPathComponent("instances.onnx"))
        try write(
            [("points", [2, 2], [0.25, 0.5, 0.75, 0.5])], [:], to: folder.appendingPathComponent("landmarks.onnx"))
        try writeNetworksOfSeveralInputs(to: folder)
        try Data("path,label\nphotos/coffee.png,espresso\n".utf8).write(to: folder.appendingPathComponent("labels.csv"))
        return try await body(folder)
    }

    /// Writes a network that makes pictures darker by a number, and one that compares two pictures, with pairs for it.
    private static func writeNetworksOfSeveralInputs(to folder: URL) throws {
        try Model(
            Graph.build("blend") { net in
                let image = net.input("image", .float32, [.batch, 3, 32, 32])
                net.output("picture", image.multiplied(by: net.input("strength", .float32, [1])))
            }
        ).export(to: folder.appendingPathComponent("blend.onnx").path)
        try Model(
            Graph.build("pairs") { net in
                let first = net.input("first", .float32, [.batch, 3, 32, 32]).globalAveragePool()
                let second = net.input("second", .float32, [.batch, 3, 32, 32]).globalAveragePool()
                net.output("difference", first.added(to: second.multiplied(by: -1)).flatten())
            }
        ).export(to: folder.appendingPathComponent("pairs.onnx").path)
        let pairs = ["coffee.png,photos/chelsea.png", "coffee.png,photos/nowhere.png", "rocket.jpg,photos/coffee.png"]
        try Data(("path,other\n" + pairs.map { "photos/\($0)\n" }.joined()).utf8)
            .write(to: folder.appendingPathComponent("pairs.csv"))
    }

    /// Writes a network of YOLO-pose's form that finds the same person, with two points, in every picture.
    private static func writePoses(to file: URL) throws {
        let columns = values([[32, 32, 32, 16, 0.875, 24, 32, 0.75, 40, 34, 0.25]], extent: 11)
        try write(
            [("output0", [11, 84], columns)],
            ["task": "pose", "kpt_shape": "[2, 3]", "names": "{0: 'person'}"], to: file)
    }

    /// Writes a network of YOLO-seg's form that finds the same cat and dog in every picture.
    private static func writeInstances(to file: URL) throws {
        let columns = values([[32, 32, 64, 64, 0.875, 0, 1], [16, 32, 16, 16, 0, 0.5, 1]], extent: 7)
        try write(
            [("output0", [7, 84], columns), ("output1", [1, 4, 4], [Float](repeating: 1, count: 16))],
            ["task": "segment", "names": "{0: 'cat', 1: 'dog'}"], to: file)
    }

    /// The numbers of 84 anchors, of which the first ones have the given columns.
    private static func values(_ columns: [[Float]], extent: Int) -> [Float] {
        var values = [Float](repeating: 0, count: extent * 84)
        for (anchor, column) in columns.enumerated() {
            for (row, number) in column.enumerated() { values[row * 84 + anchor] = number }
        }
        return values
    }

    /// Writes a network whose outputs have the same numbers for every picture.
    private static func write(
        _ outputs: [(name: String, shape: [Int], values: [Float])], _ metadata: [String: String], to file: URL
    ) throws {
        var graph = try Graph.build("fixed") { net in
            let number = net.input("image", .float32, [.batch, 3, 64, 64]).flatten().linear(1)
            for output in outputs {
                let ones = [Int](repeating: 1, count: output.shape.count)
                guard let zero = try? Tensor([0] as [Float], shape: [1] + ones),
                    let numbers = try? Tensor(output.values, shape: [1] + output.shape)
                else { continue }
                let nothing = number.reshape([0] + ones).multiplied(by: net.constant("\(output.name)/zero", zero))
                net.output(output.name, nothing.added(to: net.constant("\(output.name)/numbers", numbers)))
            }
        }
        graph = try graph.seeded(1)
        graph.metadata = metadata
        try Model(graph).export(to: file.path)
    }

    /// Writes a detector of YOLOv5's form that finds the same box in every picture.
    private static func writeDetector(to file: URL) throws {
        var rows = [Float](repeating: 0, count: 126 * 7)
        rows.replaceSubrange(0..<7, with: [32, 16, 16, 8, 1, 0.75, 0])
        let (zero, boxes) = (try Tensor([0] as [Float], shape: [1, 1, 1]), try Tensor(rows, shape: [1, 126, 7]))
        let graph = try Graph.build("detector") { net in
            let image = net.input("image", .float32, [.batch, 1, 32, 64])
            let nothing = image.globalAveragePool().reshape([0, 1, 1]).multiplied(by: net.constant("zero", zero))
            net.output("boxes", nothing.added(to: net.constant("rows", boxes)))
        }
        try Model(graph).export(to: file.path)
    }
}
