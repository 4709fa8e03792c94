#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Graphs
import Tensors

extension ONNXDataType {
    /// The data type of elements as they lie in memory.
    init(_ elementType: ElementType) {
        switch elementType {
        case .float32: self = .float
        case .float16: self = .float16
        case .float64: self = .double
        case .int8: self = .int8
        case .uint8: self = .uint8
        case .int16: self = .int16
        case .uint16: self = .uint16
        case .int32: self = .int32
        case .uint32: self = .uint32
        case .int64: self = .int64
        case .uint64: self = .uint64
        case .bool: self = .bool
        }
    }
}

extension ONNXTensorProto {
    /// Serializes a tensor as raw little-endian bytes.
    init(_ tensor: Tensor, name: String = "") throws(FormatError) {
        self.init()
        self.name = name
        dims = tensor.shape.map(Int64.init)
        dataType = ONNXDataType(tensor.elementType).rawValue
        do {
            rawData = try tensor.withContiguousBytes { Data($0) }
        } catch let error as TensorError {
            throw FormatError(error)
        } catch {
            throw .invalid("\(error)")
        }
    }
}

extension ONNXAttributeProto {
    /// Serializes an attribute.
    init(_ name: String, _ value: AttributeValue) throws(FormatError) {
        self.init()
        self.name = name
        switch value {
        case .int(let number): (type, i) = (.int, number)
        case .float(let number): (type, f) = (.float, number)
        case .string(let text): (type, s) = (.string, Data(text.utf8))
        case .tensor(let tensor): (type, t) = (.tensor, try ONNXTensorProto(tensor))
        case .ints(let numbers): (type, ints) = (.ints, numbers)
        case .floats(let numbers): (type, floats) = (.floats, numbers)
        case .strings(let texts): (type, strings) = (.strings, texts.map { Data($0.utf8) })
        }
    }
}
