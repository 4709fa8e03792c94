import Foundation
import Tensors
import Testing

/// A model of one operator with random inputs, and the outputs of LiteRT's reference kernels. It is made by
/// `Tests/Fixtures/make_tflite_fixtures.py`.
struct TFLiteCase: Decodable, Sendable, CustomTestStringConvertible {
    struct Content: Decodable, Sendable {
        let type: String
        let shape: [Int]
        let data: Data

        func tensor() throws -> Tensor {
            try Tensor(try #require(ElementType(rawValue: type)), shape: shape) { bytes in
                data.withUnsafeBytes { bytes.copyMemory(from: $0) }
            }
        }
    }

    let name: String
    let model: Data
    let inputs: [Content]
    let outputs: [Content]
    let tolerance: Double

    var testDescription: String { name }

    static let all = cases(of: "tflite/cases.json")

    /// The cases of a file of Tests/Fixtures.
    static func cases(of name: String) -> [TFLiteCase] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)")
        do {
            return try JSONDecoder().decode([TFLiteCase].self, from: Data(contentsOf: file))
        } catch {
            Issue.record("Tests/Fixtures/\(name): \(error)")
            return []
        }
    }
}
