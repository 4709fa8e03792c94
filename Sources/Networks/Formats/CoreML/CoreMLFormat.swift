import FoundationEssentials
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
                hasKind = hasKind || field.number >= CoreMLModelKind.firstField
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
        case .mlProgram: return try MILProgramReader(model, folder: folder).read()
        case .pipeline, .pipelineClassifier: return try PipelineNetworkReader(model, folder: folder).read()
        default:
            throw .unsupported("the file holds a model of the kind \(model.kind.name), not one network")
        }
    }

    /// Whether the content is a model that is read, but not a single network.
    package func holdsFeatureModel(_ content: ModelContent) -> Bool {
        guard recognizes(content), let message = try? CoreMLMessage(content, 0..<content.byteCount),
            let model = try? CoreMLModel(message)
        else { return false }
        return !model.kind.isNetwork
    }

    /// Reads a model of any kind as a model of named features.
    ///
    /// - Parameters: As of ``importModel(_:folder:)``.
    package func importFeatures(_ content: ModelContent, folder: URL?) throws(FormatError) -> ImportedFeatureModel {
        if let foreign = try ForeignContent(content) { throw foreign.error }
        guard recognizes(content) else { throw .invalid("the file is not a Core ML model") }
        return try FeatureModelReader(folder: folder).read(
            try CoreMLModel(try CoreMLMessage(content, 0..<content.byteCount)))
    }

    /// The wire types of a model's fields that hold no message.
    private static let wires: [Int: ProtobufFields.Wire] = [1: .varint, 10: .varint]
}

extension ModelFormat where Self == CoreMLFormat {
    /// Models in Apple's Core ML format.
    package static var coreML: CoreMLFormat { CoreMLFormat() }
}
