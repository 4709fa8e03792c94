import Apus
import Foundation
import Tensors
import TestSupport
import Testing

/// A network of `make_coreml_fixtures.py`, with the results of onnxruntime or NumPy.
struct CoreMLLayerCase: Sendable, CustomTestStringConvertible {
    let name: String
    let inputs: [String: Tensor]
    let outputs: [String: Tensor]

    var testDescription: String { name }
    var path: String { Self.folder.appending(path: "layers/\(name).mlmodel").path }

    static let folder = TestedNetworks.fixtures.appending(path: "coreml")

    struct Array: Decodable {
        let shape: [Int]
        let values: [Float]
        func tensor() throws -> Tensor { try Tensor(values, shape: shape) }
    }

    private struct Answers: Decodable {
        let inputs: [String: Array]
        let outputs: [String: Array]
    }

    static func all() throws -> [CoreMLLayerCase] {
        let content = try Data(contentsOf: folder.appending(path: "layers.json"))
        return try JSONDecoder().decode([String: Answers].self, from: content).map { name, answers in
            CoreMLLayerCase(
                name: name, inputs: try answers.inputs.mapValues { try $0.tensor() },
                outputs: try answers.outputs.mapValues { try $0.tensor() })
        }.sorted { $0.name < $1.name }
    }
}

@Suite("Layers of Core ML")
struct CoreMLLayerTests {
    @Test("Each layer gives the answer of another implementation", arguments: try CoreMLLayerCase.all())
    func agrees(_ layer: CoreMLLayerCase) async throws {
        let model = try Model(contentsOf: layer.path)
        for backend in [BackendName.cpu, .reference] {
            let session = try await Session(model, options: .init(backends: [backend], threads: 1))
            let outputs = try await session.predict(layer.inputs)
            #expect(outputs.count == layer.outputs.count)
            for (name, expected) in layer.outputs {
                let found = try #require(outputs[name])
                #expect(found.shape == expected.shape, "\(name)")
                let pairs = zip(found.elements(as: Float.self), expected.elements(as: Float.self))
                let worst = pairs.map { abs($0 - $1) / (1 + abs($1)) }.max() ?? 0
                #expect(worst < 1e-5, "\(backend), \(name): \(worst)")
            }
        }
    }
}
