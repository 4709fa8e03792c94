import Apus
import Foundation

/// A folder of many small pictures, some of which are damaged, and a network of three layers that takes a moment for
/// each.
struct Pictures {
    let folder: URL
    let count: Int

    init(in folder: URL, count: Int) throws {
        self.folder = folder
        self.count = count
        let graph = try Graph.build("small") { net in
            let image = net.input("image", .float32, [.batch, 3, 32, 32])
            let features = image.convolution(16, kernel: 3).relu().convolution(16, kernel: 3).relu()
            net.output("scores", features.globalAveragePool().flatten().linear(7))
        }
        try Model(graph.seeded(7)).export(to: folder.appendingPathComponent("small.onnx").path)
        let pictures = folder.appendingPathComponent("pictures")
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        let good = ["color-420.jpg", "color-444.jpg", "grey-16.png", "grey.jpg"]
        for index in 0..<count {
            let source = Self.isBad(index) ? "images/bad/zeros.png" : "images/\(good[index % good.count])"
            let name = String(repeating: "0", count: 5 - "\(index)".count) + "\(index).png"
            try FileManager.default.createSymbolicLink(
                atPath: pictures.appendingPathComponent(name).path, withDestinationPath: Fixtures.path(source))
        }
    }

    static func isBad(_ index: Int) -> Bool { index % 11 == 5 }

    /// Predicts all of them, in the folder.
    var arguments: [String] {
        ["predict", "small.onnx", "pictures", "--scale", "1/255", "--top", "2", "--batch", "4", "--quiet"]
    }

    /// The rows as JSON Lines, from an undisturbed run.
    func rows(_ options: [String] = []) async throws -> String {
        try await Command.run(arguments + ["--format", "jsonl"] + options, in: folder).output
    }
}
