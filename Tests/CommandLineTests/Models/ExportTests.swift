import Apus
import Foundation
import TestSupport
import Testing

@Suite struct ExportTests {
    private func entries(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func aNetworkOfTheZooIsWrittenAndRead() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("network.onnx").path
            let outcome = try await Command.run("export", "zoo:squeezenet1_1", "--seed", "7", "-o", file)
            #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty)
            #expect(try entries(folder) == ["network.onnx"])
            let model = try Model(contentsOf: file)
            #expect(model.graph.parameterCount == 1_235_496)
            #expect(model.graph[model.graph.inputs[0]].shape == [.batch, 3, 224, 224])
            let weight = try #require(model.source.initializers.values.first { $0.shape == [64, 3, 3, 3] })
            let built = try Model(zoo: "squeezenet1_1", seed: 7)
            let other = try #require(built.source.initializers.values.first { $0.shape == [64, 3, 3, 3] })
            #expect(weight.elements(as: Float.self) == other.elements(as: Float.self))
        }
    }

    @Test func standardOutputGetsTheSameBytes() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("a.onnx")
            let piped = folder.appendingPathComponent("b.onnx")
            try Data().write(to: piped)
            let arguments = ["export", Fixtures.model, "--declutter", "-o"]
            #expect(try await Command.run(arguments + [file.path]).status == 0)
            let output = try FileHandle(forWritingTo: piped)
            #expect(try await Command(arguments + ["-"]).outcome(output: output).status == 0)
            #expect(try Data(contentsOf: piped) == Data(contentsOf: file))
            #expect(try Model(contentsOf: file.path).graph.nodes.count > 0)
        }
    }

    @Test func theBatchCanBeFixed() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("network.onnx").path
            #expect(try await Command.run("export", Fixtures.model, "--batch", "4", "-o", file).status == 0)
            let model = try Model(contentsOf: file)
            #expect(model.source[model.source.inputs[0]].shape == [4, 3, 227, 227])
            #expect(model.source[model.source.outputs[0]].shape == [4, 1000])
            let other = try await Command.run("export", file, "--batch", "3", "-o", "-")
            #expect(other.status == 2 && other.output.isEmpty)
            #expect(other.errors == "apus: \(file): input \"data\": takes batches of 4, not of 3\n")
        }
    }

    @Test func failuresLeaveNothingBehind() async throws {
        try await withTemporaryFolder { folder in
            let missing = folder.appendingPathComponent("none/network.onnx").path
            let outcome = try await Command.run("export", "zoo:squeezenet1_1", "-o", missing)
            #expect(outcome.status == 5)
            #expect(outcome.errors == "apus: \(missing): No such file or directory\n")
            #expect(try await Command.run("export", Fixtures.model, "-o", folder.path).status == 2)
            #expect(try await Command.run("export", Fixtures.model, "-o", "/dev/full").status == 5)
            #expect(try await Command.run("export", Fixtures.model, "-o", "/dev/null").status == 0)
            #expect(FileManager.default.fileExists(atPath: "/dev/null"))
            #expect(try await Command.run("export", Fixtures.model).status == 2)
            #expect(try await Command.run("export", "zoo:none", "-o", "-").status == 2)
            #expect(try await Command.run("export", Fixtures.path("photos/rocket.jpg"), "-o", "-").status == 3)
            #expect(try entries(folder).isEmpty)
        }
    }
}
