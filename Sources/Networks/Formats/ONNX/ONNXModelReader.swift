import FoundationEssentials
import Graphs

/// Turns a decoded `ModelProto` into a graph that is still to be sorted and validated.
struct ONNXModelReader {
    private var message: ONNXModelProto
    private let rawData: [ONNXRawData?]
    private let operatorSets: ONNXOperatorSets
    private let folder: URL?

    init(_ content: ONNXContent, folder: URL?) throws(FormatError) {
        let message = content.model
        guard message.irVersion > 0 else {
            throw .invalid("the model names no version of the format; the file may be damaged")
        }
        guard message.hasGraph else { throw .invalid("the model holds no graph; the file may be cut short") }
        operatorSets = try ONNXOperatorSets(message.opsetImport, irVersion: message.irVersion)
        self.message = message
        rawData = content.rawData
        self.folder = folder
    }

    consuming func graph() throws(FormatError) -> Graph {
        let functions = try ONNXFunctions(message.functions)
        let metadata = metadata
        var contents = message.graph
        message.clearGraph()
        var reader = ONNXGraphReader(
            name: contents.name, scope: ONNXScope(operatorSets: operatorSets), functions: functions,
            tensors: ONNXTensorReader(folder: folder))
        var graph = try reader.read(&contents, rawData)
        graph.metadata = metadata
        return graph
    }

    /// The model's metadata under the names of ONNX's fields; custom properties keep their own names.
    private var metadata: [String: String] {
        var metadata = Dictionary(
            message.metadataProps.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        metadata["ir_version"] = "\(message.irVersion)"
        metadata["opset_import"] = operatorSets.description
        if message.modelVersion != 0 { metadata["model_version"] = "\(message.modelVersion)" }
        let texts = [
            "producer_name": message.producerName, "producer_version": message.producerVersion,
            "domain": message.domain, "doc_string": message.docString,
        ]
        return metadata.merging(texts.filter { !$0.value.isEmpty }) { _, field in field }
    }
}
