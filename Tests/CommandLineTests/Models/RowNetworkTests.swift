import Apus
import Foundation
import TestSupport
import Testing

/// Networks whose open first axis is not a batch.
@Suite("A first axis that is not a batch")
struct RowNetworkTests {
    /// Writes `rows.onnx`, which takes the differences of the two halves of its rows [N, 3].
    private func makeNetwork(in folder: URL) throws {
        var graph = try Graph.build("rows") { net in
            let halves = net.input("x", .float32, [4, 3]).split([2, 2], axis: 0)
            net.output("y", halves[0].subtracting(halves[1]))
        }
        graph.values[graph.inputs[0].index].shape = Shape([.batch, 3])
        graph.values[graph.outputs[0].index].shape = nil
        try Model(graph).export(to: folder.appending(path: "rows.onnx").path)
    }

    private static let reason =
        "axis 0 is not a batch here: node \"split1\" (Split): parts [2, 2] do not add up to the extent 1 of axis 0"

    @Test("inspect and plan say so, and plan takes the extents that it is given")
    func isSaid() async throws {
        try await withTemporaryFolder { folder in
            try makeNetwork(in: folder)
            let report = try await Command.run("inspect", "rows.onnx", in: folder)
            #expect(report.status == 0 && report.output.contains(Self.reason), "\(report)")
            let refused = try await Command.run("plan", "rows.onnx", in: folder)
            #expect(refused.status == 2)
            #expect(
                refused.errors
                    == "apus: rows.onnx: \(Self.reason); give its extents, such as --shape x=4,3\n")
            let plan = try await Command.run("plan", "rows.onnx", "--shape", "x=4,3", in: folder)
            #expect(plan.status == 0 && plan.output.contains("  batch     whole: \(Self.reason)"), "\(plan)")
            let bench = try await Command.run(
                "bench", "rows.onnx", "--time", "0.01", "--warm-up", "0.01", "--threads", "1", "--shape", "x=4,3",
                in: folder)
            #expect(bench.status == 0, "\(bench.errors)")
        }
    }

    @Test("run computes with the rows that it gets")
    func isRun() async throws {
        try await withTemporaryFolder { folder in
            try makeNetwork(in: folder)
            let x = try Tensor((0..<12).map { Float($0 * $0) }, shape: [4, 3])
            try x.write(toNumPyFile: folder.appending(path: "x.npy").path)
            let outcome = try await Command.run("run", "rows.onnx", "--input", "x=x.npy", "-o", "out", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let y = try Tensor(contentsOfNumPyFile: folder.appending(path: "out/y.npy").path)
            #expect(y.shape == [2, 3])
            let differences: [Float] = (0..<6).map {
                x.elements(as: Float.self)[$0] - x.elements(as: Float.self)[$0 + 6]
            }
            #expect(y.elements(as: Float.self) == differences)
        }
    }

    @Test("A Split into 2,000 parts is shown in short lines")
    func manyParts() async throws {
        try await withTemporaryFolder { folder in
            let graph = try Graph.build("parts") { net in
                let x = net.input("x", .float32, [.batch, 2000, 4])
                let parts = x.split([Int](repeating: 1, count: 2000)).map { $0.relu() }
                net.output("y", net.concat(parts))
            }
            try Model(graph).export(to: folder.appending(path: "parts.onnx").path)
            let plan = try await Command.run("plan", "parts.onnx", in: folder)
            #expect(plan.status == 0, "\(plan.errors)")
            #expect(plan.lines.count > 2000)
            #expect(plan.lines.allSatisfy { $0.count < 400 })
        }
    }
}
