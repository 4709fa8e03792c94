import FoundationEssentials
import Graphs
import Tensors

/// Turns a node's serialized attributes into values.
struct ONNXAttributeReader {
    let tensors: ONNXTensorReader
    let label: ONNXNodeLabel

    /// The values of attributes, by name.
    ///
    /// - Parameter subgraph: Reads a graph that is an attribute.
    func values(
        _ messages: [ONNXAttributeProto], subgraph: (Data) throws(FormatError) -> Subgraph
    ) throws(FormatError) -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        for message in messages {
            guard values.updateValue(try value(message, subgraph), forKey: message.name) == nil else {
                throw label.invalid("attribute \"\(message.name)\" is given twice")
            }
        }
        return values
    }

    private func value(
        _ message: ONNXAttributeProto, _ subgraph: (Data) throws(FormatError) -> Subgraph
    ) throws(FormatError) -> AttributeValue {
        guard message.refAttrName.isEmpty else {
            throw label.invalid("attribute \"\(message.name)\" refers to a function's, outside of a function")
        }
        let present = message.presentTypes
        // Files of the first format version do not declare the type.
        let type = message.type == .undefined ? present.first ?? .undefined : message.type
        guard present.isEmpty || present.contains(type) else {
            throw label.invalid("attribute \"\(message.name)\" does not hold a value of its type")
        }
        switch type {
        case .int: return .int(message.i)
        case .float: return .float(message.f)
        case .string: return .string(try text(message.s, message.name))
        case .ints: return .ints(message.ints)
        case .floats: return .floats(message.floats)
        case .strings:
            var texts: [String] = []
            for bytes in message.strings { texts.append(try text(bytes, message.name)) }
            return .strings(texts)
        case .tensor:
            do throws(FormatError) {
                return .tensor(try tensors.tensor(message.t))
            } catch {
                throw label.adding("attribute \"\(message.name)\"", to: error)
            }
        case .graph:
            do throws(FormatError) {
                return .graph(try subgraph(message.g))
            } catch {
                if case .graph = error { throw error }
                throw label.adding("attribute \"\(message.name)\"", to: error)
            }
        case .graphs: throw label.unsupported("attribute \"\(message.name)\" is a list of graphs")
        case .undefined:
            throw label.invalid("attribute \"\(message.name)\" has no value")
        default:
            throw label.unsupported("attribute \"\(message.name)\" is of type \(type.text), which is not supported")
        }
    }

    private func text(_ bytes: some Sequence<UInt8>, _ name: String) throws(FormatError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw label.invalid("attribute \"\(name)\" is not UTF-8 text")
        }
        return text
    }
}

extension ONNXAttributeProto {
    /// The types whose field is present. There may be none, since proto3 writers omit fields that are zero.
    fileprivate var presentTypes: [AttributeType] {
        var types: [AttributeType] = []
        if hasF { types.append(.float) }
        if hasI { types.append(.int) }
        if hasS { types.append(.string) }
        if hasT { types.append(.tensor) }
        if hasG { types.append(.graph) }
        if !floats.isEmpty { types.append(.floats) }
        if !ints.isEmpty { types.append(.ints) }
        if !strings.isEmpty { types.append(.strings) }
        if !tensors.isEmpty { types.append(.tensors) }
        if !graphs.isEmpty { types.append(.graphs) }
        if hasTp { types.append(.typeProto) }
        if !typeProtos.isEmpty { types.append(.typeProtos) }
        if hasSparseTensor { types.append(.sparseTensor) }
        if !sparseTensors.isEmpty { types.append(.sparseTensors) }
        return types
    }
}

extension ONNXAttributeProto.AttributeType {
    fileprivate var text: String {
        switch self {
        case .tensors: "TENSORS"
        case .sparseTensor: "SPARSE_TENSOR"
        case .sparseTensors: "SPARSE_TENSORS"
        case .typeProto: "TYPE_PROTO"
        case .typeProtos: "TYPE_PROTOS"
        default: "\(rawValue)"
        }
    }
}
