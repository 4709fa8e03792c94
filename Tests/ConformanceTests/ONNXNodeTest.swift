import Formats
import Foundation
import Graphs
import Tensors

/// One of ONNX's own tests: a model of a single operator, inputs, and the outputs it must give.
struct ONNXNodeTest {
    enum Outcome {
        case passed
        /// Apus says that it does not do this, and names the operator or the reason.
        case unsupported(String)
        case failed(String)
    }

    let folder: URL
    var name: String { folder.lastPathComponent }

    /// All tests of Debian's package `libonnx-testdata`; nil when it is not installed.
    static func installed() -> [ONNXNodeTest]? {
        let root = URL(fileURLWithPath: "/usr/share/libonnx-testdata/data/node")
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: root.path) else { return nil }
        return names.sorted().map { ONNXNodeTest(folder: root.appending(path: $0)) }
    }

    func outcome() -> Outcome {
        do {
            let model = folder.appending(path: "model.onnx")
            let graph = try ONNXFormat().read(try Data(contentsOf: model), folder: folder)
            let found = try ReferenceEvaluation.run(graph, try tensors("input"))
            let expected = try tensors("output")
            guard found.count == expected.count else {
                return .failed("gives \(found.count) outputs, not \(expected.count)")
            }
            for (index, pair) in zip(found, expected).enumerated() {
                if let difference = TensorComparison(pair.0, pair.1).difference {
                    return .failed("output \(index): \(difference)")
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

    private func tensors(_ stem: String) throws -> [Tensor] {
        var tensors: [Tensor] = []
        while true {
            let file = folder.appending(path: "test_data_set_0/\(stem)_\(tensors.count).pb")
            guard FileManager.default.fileExists(atPath: file.path) else { return tensors }
            tensors.append(try ONNXFormat().readTensor(try Data(contentsOf: file)).tensor)
        }
    }
}
