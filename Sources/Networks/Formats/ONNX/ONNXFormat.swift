import FoundationEssentials
import Graphs
import SwiftProtobuf
import Tensors

/// Models in the Open Neural Network Exchange format.
///
/// Reference: https://onnx.ai/onnx/repo-docs/IR.html
package struct ONNXFormat: ModelFormat {
    package let name = "ONNX"
    package let fileExtensions = ["onnx"]

    package init() {}

    package func recognizes(_ content: ModelContent) -> Bool {
        var fields = ProtobufFields(content, 0..<content.byteCount)
        do throws(FormatError) {
            guard try ForeignContent(content) == nil else { return false }
            while let field = try fields.next() {
                // Core ML's models, which are protobuf too, have fields from 200 on.
                guard field.number < 200, Self.wires[field.number] ?? field.wire == field.wire else { return false }
            }
        } catch {
            return false
        }
        return fields.end != .malformed
    }

    package func read(_ content: ModelContent, folder: URL?) throws(FormatError) -> Graph {
        if let foreign = try ForeignContent(content) { throw foreign.error }
        let decoded: ONNXContent
        do throws(FormatError) {
            decoded = try ONNXContent(content)
        } catch {
            throw recognizes(content) ? error : .invalid("the file is not an ONNX model")
        }
        var graph = try ONNXModelReader(decoded, folder: folder).graph()
        try graph.finish()
        return graph
    }

    /// Reads a file that holds one serialized tensor, as ONNX's test data does.
    package func readTensor(_ content: Data) throws(FormatError) -> (name: String, tensor: Tensor) {
        let message: ONNXTensorProto = try Self.decode(content)
        return (message.name, try ONNXTensorReader(folder: nil).tensor(message))
    }

    static func decode<Message: SwiftProtobuf.Message>(_ content: Data) throws(FormatError) -> Message {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        // ONNX's messages nest seven deep. Only groups, which ONNX does not use, could be deeper.
        options.messageDepthLimit = 32
        do {
            return try Message(serializedBytes: content, options: options)
        } catch BinaryDecodingError.invalidUTF8 {
            throw .invalid("the file holds a name that is not UTF-8 text; it is damaged")
        } catch {
            throw .invalid("the file is cut short or damaged")
        }
    }

    /// How the fields of `ModelProto` are encoded.
    private static let wires: [Int: ProtobufFields.Wire] = [
        1: .varint, 2: .lengthDelimited, 3: .lengthDelimited, 4: .lengthDelimited, 5: .varint, 6: .lengthDelimited,
        7: .lengthDelimited, 8: .lengthDelimited, 14: .lengthDelimited, 20: .lengthDelimited, 25: .lengthDelimited,
    ]
}

extension ModelFormat where Self == ONNXFormat {
    /// Models in the Open Neural Network Exchange format.
    package static var onnx: ONNXFormat { ONNXFormat() }
}
