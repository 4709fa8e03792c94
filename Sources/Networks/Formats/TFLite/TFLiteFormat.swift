import FoundationEssentials
import Graphs

/// Models of TensorFlow Lite, also called LiteRT: FlatBuffers of version 3 of its schema.
///
/// Reference: https://github.com/google-ai-edge/LiteRT/blob/main/tflite/converter/schema/schema.fbs
package struct TFLiteFormat: ModelFormat {
    package let name = "TensorFlow Lite"
    package let fileExtensions = ["tflite"]

    package init() {}

    package func recognizes(_ content: ModelContent) -> Bool {
        guard content.byteCount >= 8, let identifier = try? content.bytes(4..<8) else { return false }
        return identifier.elementsEqual("TFL3".utf8)
    }

    package func read(_ content: ModelContent, folder: URL?) throws(FormatError) -> Graph {
        try importModel(content, folder: folder).graph
    }

    package func importModel(_ content: ModelContent, folder: URL?) throws(FormatError) -> ImportedModel {
        guard recognizes(content) else { throw .invalid("the file is not a TensorFlow Lite model") }
        let model = try TFLiteModel(content)
        var reader = try TFLiteGraphReader(model)
        var graph = try reader.read()
        graph.metadata = ["schema_version": "\(model.version)"]
        if !model.description.isEmpty { graph.metadata["description"] = model.description }
        graph.metadata.merge(model.signatureTexts) { first, _ in first }
        try graph.finish()
        let metadata = try TFLiteMetadata(model)
        if let name = metadata.name, !name.isEmpty { graph.metadata["name"] = name }
        var imported = ImportedModel(graph, labels: metadata.labels, pictures: metadata.pictures)
        imported.labelsSource = metadata.labelsSource
        imported.warnings = metadata.warnings
        return imported
    }
}

extension ModelFormat where Self == TFLiteFormat {
    /// Models of TensorFlow Lite.
    package static var tfLite: TFLiteFormat { TFLiteFormat() }
}
