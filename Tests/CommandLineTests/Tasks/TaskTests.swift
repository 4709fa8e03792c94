import Apus
import Foundation
import TestSupport
import Testing

/// Tasks other than classes and objects, as a user asks for them.
@Suite("apus predict: tasks")
struct TaskTests {
    private let photos = Fixtures.photos.map { "photos/" + $0 }

    /// Writes a network with two outputs of known numbers: the mean of each channel, and of all.
    private func makeModel(in folder: URL) throws {
        let graph = try Graph.build("means") { net in
            let means = net.input("image", .float32, [.batch, 3, 8, 8]).globalAveragePool().flatten()
            net.output("means", means)
            net.output("tokens", means.reshape([0, 3, 1]))
        }
        try Model(graph).export(to: folder.appending(path: "means.onnx").path)
    }

    @Test("Where nothing says what a network is for, the command says what its outputs look like, and which tasks fit")
    func open() async throws {
        try await withTemporaryFolder { folder in
            try makeModel(in: folder)
            let photo = Fixtures.path("photos/coffee.png")
            let outcome = try await Command.run("predict", "means.onnx", photo, in: folder)
            #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errorLines.count == 1)
            for part in ["\"means\" [1, 3] (3 numbers)", "\"tokens\" [1, 3, 1]", "--task classify", "--task raw"] {
                #expect(outcome.errors.contains(part), "\(part)")
            }
            let report = try await Command.run("inspect", "means.onnx", "--json", in: folder)
            let json = try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any]
            let task = try #require(json?["task"] as? [String: Any])
            #expect(task["name"] == nil && (task["candidates"] as? [String])?.contains("embed") == true)
            #expect((task["evidence"] as? String)?.hasPrefix("nothing says what this network is for") == true)
        }
    }

    @Test("inspect tells the task of a classifier, what says so, and what its confidences are")
    func inspected() async throws {
        let text = try await Command.run("inspect", Fixtures.model)
        #expect(
            text.lines.contains { $0.contains("classify: output \"prob\" has a number for each of the 1000 names") })
        #expect(text.lines.contains { $0.contains("confidences are the output, which is a softmax") })
    }

    @Test("Outputs come as they are: in rows, in tables, and one of them as an array")
    func raw() async throws {
        try await withTemporaryFolder { folder in
            try makeModel(in: folder)
            let common = ["predict", "means.onnx", Fixtures.path(photos[2]), "--task", "raw", "--quiet"]
            let rows = try await Command.run(common, in: folder)
            let row = try JSONSerialization.jsonObject(with: Data(rows.output.utf8)) as? [String: Any]
            let outputs = try #require(row?["outputs"] as? [[String: Any]])
            #expect(outputs.map { $0["name"] as? String } == ["means", "tokens"])
            #expect(outputs.map { $0["shape"] as? [Int] } == [[3], [3, 1]])
            #expect(outputs[0]["values"] as? [Double] == outputs[1]["values"] as? [Double])
            let table = try await Command.run(common + ["--format", "table"], in: folder)
            #expect(table.output.contains("means float32[3]  0."))
            let csv = try await Command.run(common + ["--format", "csv"], in: folder)
            #expect(csv.output.hasPrefix("id,error,output,type,shape,values,warning\r\n"))
            #expect(csv.output.split(separator: "\r\n").count == 3)
            // An array of rows holds one output.
            let refused = try await Command.run(common + ["-o", "all.npy"], in: folder)
            #expect(refused.status == 5 && refused.errors.contains("--output-name"))
            let array = try await Command.run(common + ["--output-name", "means", "-o", "means.npy"], in: folder)
            #expect(array.status == 0)
            let numbers = try Tensor(contentsOfNumPyFile: folder.appending(path: "means.npy").path)
            #expect(numbers.shape == [1, 3])
            #expect(
                numbers.elements(as: Float.self).map(Double.init).map { ($0 * 1e5).rounded() }
                    == (outputs[0]["values"] as? [Double])?.map { ($0 * 1e5).rounded() })
        }
    }

    @Test("Archives have all outputs of a picture, under names that cannot lead out of a folder, and rows name them")
    func archives() async throws {
        try await withTemporaryFolder { folder in
            let graph = try Graph.build("means") { net in
                let means = net.input("image", .float32, [.batch, 3, 8, 8]).globalAveragePool().flatten()
                net.output("../means", means)
                net.output("halves", means.reshape([0, 3, 1]))
            }
            try Model(graph).export(to: folder.appending(path: "means.onnx").path)
            let photo = Fixtures.path(photos[2])
            let command = ["predict", "means.onnx", photo, "--task", "raw", "--arrays", "arrays", "--quiet"]
            let outcome = try await Command.run(command, in: folder)
            let row = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            let name = try #require(row?["arrays"] as? String)
            #expect(name.hasSuffix("photos/coffee.png.npz"))
            let file = folder.appending(path: "arrays").appending(path: name)
            let content = try Data(contentsOf: file)
            let archive = try ZipArchive(ByteSource(path: file.path))
            #expect(archive.entries.map(\.name) == ["_.._means.npy", "halves.npy"])
            let numbers = (row?["outputs"] as? [[String: Any]])?.first?["values"] as? [Double]
            let start = try #require(content.range(of: Data("_.._means.npy".utf8))).upperBound
            let mark = try #require(content[start...].range(of: Data([0x93] + Array("NUMPY".utf8)))).lowerBound
            let array = try Tensor(numPyData: Data(content[mark..<mark + archive.entries[0].byteCount]))
            #expect(array.shape == [3])
            #expect(array.elements(as: Float.self).map { Float($0) } == numbers?.map { Float($0) })
            // The same run gives the same bytes, and replaces nothing else.
            #expect(try await Command.run(command, in: folder).status == 0)
            #expect(try Data(contentsOf: file) == content)
            try Data("a stranger's".utf8).write(to: file)
            #expect(try await Command.run(command, in: folder).status == 2)
        }
    }

    @Test("Vectors are the same in JSON Lines, CSV and arrays, with an error beside them")
    func embed() async throws {
        try await withTemporaryFolder { folder in
            let inputs = [photos[0], "images/bad/zeros.png", photos[3]]
            let common =
                ["predict", Fixtures.model] + inputs + ["--task", "embed", "--output-name", "fire9", "--quiet"]
            func output(_ name: String) -> String { folder.appending(path: name).path }
            for name in ["a.jsonl", "a.csv", "a.npy"] {
                #expect(try await Command.run(common + ["-o", output(name)]).status == 1)
            }
            let rows = try String(contentsOfFile: output("a.jsonl"), encoding: .utf8).split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }
            let vectors = rows.map { ($0?["embedding"] as? [Double])?.map(Float.init) }
            #expect(vectors.map { $0?.count } == [512, nil, 512] && rows[1]?["error"] is [String: Any])
            let numbers = try Tensor(contentsOfNumPyFile: output("a.npy"))
            #expect(numbers.shape == [3, 512])
            let values = numbers.elements(as: Float.self)
            #expect(Array(values[0..<512]) == vectors[0] && Array(values[1024...]) == vectors[2])
            #expect(values[512..<1024].allSatisfy { $0.isNaN })
            let lines = try String(contentsOfFile: output("a.csv"), encoding: .utf8).split(separator: "\r\n")
            #expect(lines[0].hasPrefix("id,error,x0,x1,") && lines[0].hasSuffix(",x511,warning"))
            #expect(lines[3].split(separator: ",").dropFirst().compactMap { Float($0) } == vectors[2])
        }
    }

    @Test("A run of vectors that stopped goes on, and shards join, to the same bytes", arguments: ["npy", "sqlite"])
    func resuming(_ format: String) async throws {
        try await withTemporaryFolder { folder in
            func output(_ name: String) -> String { folder.appending(path: "\(name).\(format)").path }
            let common = ["predict", Fixtures.model, "--task", "embed", "--quiet", "--batch", "1"]
            #expect(try await Command.run(common + photos + ["-o", output("whole")]).status == 0)
            let bad = [photos[0], "images/bad/zeros.png"] + photos.dropFirst()
            let stopped = common + bad + ["-o", output("part")]
            #expect(try await Command.run(stopped + ["--on-error", "stop"]).status == 7)
            let other = try await Command.run(stopped + ["--resume", "--pooling", "first"])
            #expect(other.status == 2 && other.errors.contains("pooling was mean and is first"))
            #expect(try await Command.run(stopped + ["--resume"]).status == 1)
            for part in ["1", "2"] {
                let shard = ["-o", output(part), "--shard", "\(part)/2"]
                #expect(try await Command.run(common + photos + shard).status == 0)
            }
            let merged = try await Command.run(
                "merge", "--ordered", output("1"), output("2"), "-o", output("merged"))
            #expect(merged.status == 0, "\(merged.errors)")
            #expect(try await Command.run("merge", "--verify", output("merged")).status == 0)
            if format == "npy" {
                let bytes = try ["whole", "merged"].map { try Data(contentsOf: URL(fileURLWithPath: output($0))) }
                #expect(bytes[0] == bytes[1])
            }
        }
    }
}
