import FoundationEssentials
import Graphs
import SwiftProtobuf
import Tensors

extension ONNXFormat {
    /// The maximum bytes of a protobuf message.
    package static let maximumFileByteCount = Int(Int32.max)

    /// Serializes a network. Fused operations are written as nodes of their own.
    ///
    /// - Throws: ``FormatError`` when weights are missing, the file would be too large, or ONNX cannot express a node.
    package func write(_ graph: Graph, producer: String = "apus") throws(FormatError) -> Data {
        if let id = graph.missingWeights.first { throw .invalid("weight \"\(graph[id].name)\" is not loaded") }
        let byteCount = graph.initializers.values.reduce(0) { $0 + $1.byteCount }
        guard byteCount < Self.maximumFileByteCount else { throw Self.tooLarge(byteCount) }
        let model = try ONNXModelWriter(graph, producer: producer).message()
        let content: Data
        do {
            content = try model.serializedBytes()
        } catch {
            throw .invalid("the network cannot be serialized: \(error)")
        }
        guard content.count <= Self.maximumFileByteCount else { throw Self.tooLarge(content.count) }
        return content
    }

    private static func tooLarge(_ byteCount: Int) -> FormatError {
        .unsupported("the network takes \(byteCount) bytes; an ONNX file holds at most \(maximumFileByteCount)")
    }
}

extension ONNXFormat {
    /// The serialized field `producer_name`, for a name of at most 127 bytes.
    package static func mark(producer: String) -> [UInt8] {
        let name = Array(producer.utf8)
        return [2 << 3 | 2, UInt8(clamping: name.count)] + name
    }
}
