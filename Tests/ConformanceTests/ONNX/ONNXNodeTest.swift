import ConformanceCases
import Formats
import Foundation
import Graphs
import Tensors

/// One of ONNX's own tests, evaluated without a plan; the graph may be changed before.
struct ONNXNodeTest {
    enum Outcome {
        case passed
        /// Apus reports that this is not supported, with the operator or the reason.
        case unsupported(String)
        case failed(String)
    }

    /// The test's folder, such as `node/test_relu`.
    let name: String

    private var folder: URL { ONNXBackendTest(fetched: name).folder }

    /// All tests of the older version that were fetched.
    static func fetched() throws -> [ONNXNodeTest] {
        try ONNXBackendTest.fetched(ONNXBackendTest.versions[0]).map { ONNXNodeTest(name: $0.name) }
    }

    /// The outcome of evaluating the model after `change`.
    func outcome(changing change: (Graph) throws -> Graph = { $0 }) -> Outcome {
        do {
            let model = folder.appending(path: "model.onnx")
            let graph = try change(try ONNXFormat().read(try Data(contentsOf: model), folder: folder))
            for set in 0... {
                let data = folder.appending(path: "test_data_set_\(set)")
                guard FileManager.default.fileExists(atPath: data.path) else {
                    if set == 0 { return .failed("the test has no data") }
                    break
                }
                let found = try ReferenceEvaluation.run(graph, try Self.tensors(data, "input"))
                if let difference = Self.difference(found, try Self.tensors(data, "output")) {
                    return .failed(difference)
                }
            }
            return .passed
        } catch let error as FormatError {
            if case .graph(let error) = error { return outcome(error) }
            return error.kind == .unsupported ? .unsupported(error.description) : .failed(error.description)
        } catch let error as GraphError {
            return outcome(error)
        } catch {
            return .failed("\(error)")
        }
    }

    private func outcome(_ error: GraphError) -> Outcome {
        guard case .node(_, let operatorName, let message, true) = error else { return .failed(error.description) }
        let isKnown = Operators.find(operatorName) != nil
        return .unsupported(isKnown ? "\(operatorName) (\(message))" : operatorName)
    }

    private static func difference(_ found: [Tensor], _ expected: [Tensor]) -> String? {
        guard found.count == expected.count else { return "gives \(found.count) outputs, not \(expected.count)" }
        for (index, pair) in zip(found, expected).enumerated() {
            if let difference = TensorComparison(pair.0, pair.1).difference { return "output \(index): \(difference)" }
        }
        return nil
    }

    /// The arrays `STEM_0.pb`, `STEM_1.pb` … of a folder.
    static func tensors(_ folder: URL, _ stem: String) throws -> [Tensor] {
        var tensors: [Tensor] = []
        while true {
            let file = folder.appending(path: "\(stem)_\(tensors.count).pb")
            guard FileManager.default.fileExists(atPath: file.path) else { return tensors }
            tensors.append(try ONNXFormat().readTensor(try Data(contentsOf: file)).tensor)
        }
    }
}
