#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Graphs

/// Models in Apple's Core ML format.
///
/// Reference: https://apple.github.io/coremltools/mlmodel/index.html
package struct CoreMLFormat: ModelFormat {
    package let name = "Core ML"
    package let fileExtensions = ["mlmodel", "mlpackage"]

    package init() {}

    package func recognizes(_ content: ModelContent) -> Bool {
        var fields = ProtobufFields(content, 0..<content.byteCount)
        var hasKind = false
        do throws(FormatError) {
            guard try ForeignContent(content) == nil else { return false }
            while let field = try fields.next() {
                guard Self.wires[field.number] ?? .lengthDelimited == field.wire else { return false }
                hasKind = hasKind || field.number >= Self.firstKindField
            }
        } catch {
            return false
        }
        return hasKind && fields.end != .malformed
    }

    package func read(_ content: ModelContent, folder: URL?) throws(FormatError) -> Graph {
        try importModel(content, folder: folder).graph
    }

    package func importModel(_ content: ModelContent, folder: URL?) throws(FormatError) -> ImportedModel {
        let message = try CoreMLMessage(content, 0..<content.byteCount)
        let model = try CoreMLModel(message)
        switch model.kind {
        case .neuralNetwork, .neuralNetworkClassifier, .neuralNetworkRegressor:
            return try NeuralNetworkReader(model).read()
        default:
            throw .unsupported("models of the kind \(model.kind.name) are not supported")
        }
    }

    /// Kinds of models have field numbers from here on.
    private static let firstKindField = 200

    /// How the fields of a model are encoded that hold no message.
    private static let wires: [Int: ProtobufFields.Wire] = [1: .varint, 10: .varint]
}

extension ModelFormat where Self == CoreMLFormat {
    /// Models in Apple's Core ML format.
    package static var coreML: CoreMLFormat { CoreMLFormat() }
}
