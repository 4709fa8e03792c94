import Apus
import Foundation
import TestSupport
import Testing

/// Networks whose inputs have open extents besides the batch, with every command that takes `--shape`.
@Suite("Extents that a network leaves open")
struct ShapeTests {
    /// Writes `open.onnx`, whose input leaves the size of pictures open.
    private func makeNetwork(in folder: URL) throws {
        var graph = try Graph.build("open") { net in
            let image = net.input("x", .float32, [.batch, 3, 16, 16])
            net.output("y", image.convolution(4, kernel: 3).relu().globalAveragePool())
        }
        graph = try graph.seeded(1)
        graph.values[graph.inputs[0].index].shape = Shape([.batch, 3, .symbol("height"), .symbol("width")])
        graph.values[graph.outputs[0].index].shape = nil
        try Model(graph).export(to: folder.appending(path: "open.onnx").path)
    }

    private static let invocations: [[String]] = [
        ["plan"], ["bench", "--time", "0.05", "--warm-up", "0.1"], ["tune", "--tuning-file", "times.json"],
        ["compare", "--backends", "cpu,reference", "--rounds", "1", "--seconds", "0.05"],
    ]

    @Test("What is open is named with the option that gives it, which the command then takes", arguments: invocations)
    func commands(_ command: [String]) async throws {
        try await withTemporaryFolder { folder in
            try makeNetwork(in: folder)
            let arguments = [command[0], "open.onnx", "--threads", "1"] + command.dropFirst()
            let refused = try await Command.run(arguments, in: folder)
            #expect(refused.status == 2 && refused.output.isEmpty)
            #expect(
                refused.errors
                    == "apus: open.onnx: input \"x\" [N, 3, height, width] leaves open axis 2 (height), axis 3 (width); give "
                    + "its extents, such as --shape x=1,3,224,224\n")
            let answer = try await Command.run(arguments + ["--shape", "x=1,3,24,20", "--batch", "2"], in: folder)
            #expect(answer.status == 0 && !answer.output.isEmpty, "\(answer.errors)")
        }
    }

    @Test("The first extent stands for the batch")
    func batch() async throws {
        try await withTemporaryFolder { folder in
            try makeNetwork(in: folder)
            func inputs(_ options: String...) async throws -> [Int]? {
                let outcome = try await Command.run(["plan", "open.onnx", "--json"] + options, in: folder)
                let plan = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
                return (plan?["inputs"] as? [String: [Int]])?["x"]
            }
            #expect(try await inputs("--shape", "x=1,3,24,20") == [1, 3, 24, 20])
            #expect(try await inputs("--shape", "x=1,3,24,20", "--batch", "5") == [5, 3, 24, 20])
            #expect(try await inputs("--shape", "x=5,3,24,20", "--batch", "5") == [5, 3, 24, 20])
            #expect(try await inputs("--shape", "x=4,3,24,20") == [4, 3, 24, 20])
        }
    }

    @Test("Preprocessing and metadata that say the size of pictures are enough")
    func sizeOfPictures() async throws {
        try await withTemporaryFolder { folder in
            try makeNetwork(in: folder)
            let steps = #"{"size": {"height": 40, "width": 48}}"#
            try Data(steps.utf8).write(to: folder.appending(path: "open.preprocessor_config.json"))
            let outcome = try await Command.run("plan", "open.onnx", "--json", in: folder)
            let plan = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            #expect((plan?["inputs"] as? [String: [Int]]) == ["x": [1, 3, 40, 48]])
        }
    }
}
