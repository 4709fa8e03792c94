import Apus
import Formats
import Foundation
import Tensors
import Testing

/// Operators of TensorFlow Lite against LiteRT's reference kernels: integers exactly, numbers within a tolerance.
struct TFLiteOperatorTests {
    @Test("The plain evaluation answers as LiteRT does", arguments: TFLiteCase.all)
    func reference(_ testCase: TFLiteCase) async throws { try await check(testCase, [.reference]) }

    @Test("The processor's kernels answer as LiteRT does", arguments: TFLiteCase.all)
    func processor(_ testCase: TFLiteCase) async throws { try await check(testCase, [.cpu]) }

    @Test("All cases are there")
    func count() { #expect(TFLiteCase.all.count > 200) }

    private func check(_ testCase: TFLiteCase, _ backends: [BackendName]) async throws {
        let graph = try TFLiteFormat().read(testCase.model, folder: nil)
        let session = try await Session(
            Model(graph, name: testCase.name), options: Session.Options(backends: backends, threads: 2))
        var inputs: [String: Tensor] = [:]
        for (id, content) in zip(graph.inputs, testCase.inputs) { inputs[graph[id].name] = try content.tensor() }
        let outputs = try await session.predict(inputs)
        #expect(outputs.count == testCase.outputs.count)
        for (id, content) in zip(graph.outputs, testCase.outputs) {
            let expected = try content.tensor()
            let found = try #require(outputs[graph[id].name])
            #expect(found.elementType == expected.elementType)
            #expect(found.shape == expected.shape)
            let pairs = zip(found.elements(as: Double.self), expected.elements(as: Double.self))
            let error = pairs.map { abs($0 - $1) / max(1, abs($1)) }.max() ?? 0
            #expect(error <= testCase.tolerance, "\(pairs.first { abs($0 - $1) > testCase.tolerance } ?? (0, 0))")
        }
    }
}
