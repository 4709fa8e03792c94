import Apus
import Formats
import Foundation
import Graphs
import Planning
import Tensors
import TestSupport
import Testing

/// Networks in the QOperator form of onnxruntime's quantizer, against onnxruntime; made by
/// `Tests/Fixtures/make_qoperator_fixture.py`.
struct QuantizedOperatorTests {
    static let cases: [TFLiteCase] = TFLiteCase.cases(of: "quantized/qoperator.json")

    @Test(
        "Networks of quantized operators answer as onnxruntime does", arguments: cases, [BackendName.reference, .cpu])
    func answers(_ testCase: TFLiteCase, _ backend: BackendName) async throws {
        let graph = try ONNXFormat().read(testCase.model, folder: nil)
        let session = try await Session(
            Model(graph, name: testCase.name), options: Session.Options(backends: [backend], threads: 2))
        let outputs = try await session.predict([graph[graph.inputs[0]].name: try testCase.inputs[0].tensor()])
        let expected = try testCase.outputs[0].tensor().elements(as: Double.self)
        let found = try #require(outputs[graph[graph.outputs[0]].name]).elements(as: Double.self)
        #expect(found.count == expected.count)
        let error = zip(found, expected).map { abs($0 - $1) }.max() ?? 0
        #expect(error <= testCase.tolerance, "\(error)")
    }

    @Test("Sums, means, concatenations and products become integer arithmetic", arguments: cases)
    func rewritten(_ testCase: TFLiteCase) throws {
        let graph = try Rewrites.declutter(ONNXFormat().read(testCase.model, folder: nil)).graph
        let names = Set(graph.nodes.map { type(of: $0.operation).name })
        #expect(names.isSuperset(of: ["IntegerConv", "IntegerAdd", "IntegerMean", "Lookup"]), "\(names.sorted())")
        #expect(names.isDisjoint(with: ["Conv", "Gemm", "GlobalAveragePool", "Add"]), "\(names.sorted())")
    }
}
