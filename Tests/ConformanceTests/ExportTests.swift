import ConformanceCases
import Formats
import Foundation
import Graphs
import Tensors
import Testing
import TestSupport

@Suite("Exported networks", .ownThreads)
struct ExportTests {
    private static let fixture = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/models/squeezenet1_1.onnx")

    /// Tests of features that current versions of ONNX cannot express.
    private static let refused = ["node/test_resize_downsample_sizes_nearest_tf_half_pixel_for_nn"]

    /// The graph after it is written and read. The file must not change when it is read and written again.
    private static func throughFile(_ graph: Graph) throws -> Graph {
        let content = try ONNXFormat().write(graph)
        let result = try ONNXFormat().read(content, folder: nil)
        #expect(try ONNXFormat().write(result) == content, "\(graph.name) differs when written again")
        return result
    }

    private static func bits(_ graph: Graph, _ inputs: [Tensor]) throws -> [[UInt32]] {
        try BackendChain.cpu.plan(graph, for: inputs).outputs(inputs)
            .map { $0.elements(as: Float.self).map(\.bitPattern) }
    }

    @Test("Operators answer ONNX's own tests after they went through a file")
    func operators() throws {
        var count = 0
        for test in try ONNXNodeTest.fetched() {
            guard !Self.refused.contains(test.name), case .passed = test.outcome() else { continue }
            count += 1
            let exported = test.outcome(changing: Self.throughFile)
            let decluttered = test.outcome {
                try Self.throughFile(try Rewrites.declutter($0, using: Rewrites.exportable).graph)
            }
            for outcome in [exported, decluttered] {
                guard case .passed = outcome else {
                    Issue.record("\(test.name): \(outcome)")
                    continue
                }
            }
        }
        print("ExportTests: \(count) of ONNX's own tests passed before and after")
    }

    @Test("A refusal names the node and the attribute that ONNX files of Apus cannot hold")
    func refusalNamesTheNode() throws {
        let test = try #require(try ONNXNodeTest.fetched().first { $0.name == "node/test_if" })
        var message: String?
        _ = test.outcome { graph in
            do { _ = try ONNXFormat().write(graph) } catch { message = "\(error)" }
            return graph
        }
        #expect(message?.contains("(If)") == true, "\(message ?? "is written")")
        #expect(message?.contains("_branch\": graphs inside nodes cannot be written") == true)
    }

    @Test("A network gives the same bits after it went through a file")
    func network() throws {
        let read = try ONNXFormat().read(try Data(contentsOf: Self.fixture), folder: nil)
        let built = try Networks.squeezeNet1_1().seeded(7)
        for graph in [read, built] {
            let copy = try Self.throughFile(graph)
            #expect(copy.inputs.map { copy[$0].shape } == graph.inputs.map { graph[$0].shape })
            #expect(copy.outputs.map { copy[$0].name } == graph.outputs.map { graph[$0].name })
            #expect(copy.nodes.map(\.name) == graph.nodes.map(\.name))
            #expect(copy.parameterCount == graph.parameterCount)
            let decluttered = try Rewrites.declutter(graph).graph
            let again = try Rewrites.declutter(try Self.throughFile(decluttered)).graph
            let shapes = try graph.inputShapes(binding: ["N": 2])
            var generator = SplitMix64(seed: 3)
            let inputs = try shapes.map { shape in
                try Tensor(
                    (0..<shape.reduce(1, *)).map { _ in Float.random(in: -1...1, using: &generator) }, shape: shape)
            }
            #expect(try Self.bits(copy, inputs) == Self.bits(graph, inputs))
            #expect(try Self.bits(again, inputs) == Self.bits(decluttered, inputs))
        }
    }

    /// The bits may differ: a convolution of constants with a fused activation becomes a constant without the
    /// activation.
    @Test("Random networks give the same answers after they went through a file")
    func randomNetworks() throws {
        for seed in UInt64(0)..<200 {
            let random = try RandomGraph(seed: seed)
            do {
                let decluttered = try Rewrites.declutter(random.graph).graph
                let expected = try ReferenceEvaluation.run(random.graph, random.inputs)
                for graph in [random.graph, decluttered] {
                    let copy = try Self.throughFile(graph)
                    let found = try BackendChain.cpu.plan(copy, for: random.inputs).outputs(random.inputs)
                    #expect(found.count == expected.count)
                    for (index, (output, expected)) in zip(found, expected).enumerated() {
                        let difference = TensorComparison(output, expected, relative: 1e-3, absolute: 1e-4).difference
                        #expect(
                            difference == nil, "seed \(seed), output \(index): \(difference ?? "")\n\(random.listing)")
                    }
                }
            } catch {
                Issue.record("seed \(seed): \(error)\n\(random.listing)")
            }
        }
    }
}
