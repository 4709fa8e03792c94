import Apus
import Formats
import Foundation
import Tensors
import Testing

/// A model of one operator with random inputs, and the outputs of LiteRT's reference kernels. It is made by
/// `Tests/Fixtures/make_tflite_fixtures.py`.
package struct TFLiteCase: Decodable, Sendable, CustomTestStringConvertible {
    package struct Content: Decodable, Sendable {
        package let type: String
        package let shape: [Int]
        package let data: Data

        package func tensor() throws -> Tensor {
            try Tensor(try #require(ElementType(rawValue: type)), shape: shape) { bytes in
                data.withUnsafeBytes { bytes.copyMemory(from: $0) }
            }
        }
    }

    package let name: String
    package let model: Data
    package let inputs: [Content]
    package let outputs: [Content]
    package let tolerance: Double

    package var testDescription: String { name }

    package static let all = cases(of: "tflite/cases.json")

    /// The cases of a file of Tests/Fixtures.
    package static func cases(of name: String) -> [TFLiteCase] {
        let file = TestedNetworks.fixtures.appending(path: name)
        do {
            return try JSONDecoder().decode([TFLiteCase].self, from: Data(contentsOf: file))
        } catch {
            Issue.record("Tests/Fixtures/\(name): \(error)")
            return []
        }
    }
}

extension TFLiteCase {
    /// Runs the model on a backend, and compares with the outputs.
    package func check(_ backends: [BackendName]) async throws {
        let graph = try TFLiteFormat().read(model, folder: nil)
        let session = try await Session(
            Model(graph, name: name), options: Session.Options(backends: backends, threads: 2))
        var inputs: [String: Tensor] = [:]
        for (id, content) in zip(graph.inputs, self.inputs) { inputs[graph[id].name] = try content.tensor() }
        let outputs = try await session.predict(inputs)
        #expect(outputs.count == self.outputs.count)
        for (id, content) in zip(graph.outputs, self.outputs) {
            let expected = try content.tensor()
            let found = try #require(outputs[graph[id].name])
            #expect(found.elementType == expected.elementType)
            #expect(found.shape == expected.shape)
            let pairs = zip(found.elements(as: Double.self), expected.elements(as: Double.self))
            let error = pairs.map { abs($0 - $1) / max(1, abs($1)) }.max() ?? 0
            #expect(error <= tolerance, "\(pairs.first { abs($0 - $1) > tolerance } ?? (0, 0))")
        }
    }
}
