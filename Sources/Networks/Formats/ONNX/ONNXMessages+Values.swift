import FoundationEssentials
import Graphs
import Tensors

extension ONNXDataType {
    /// The data type of an element type.
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
        case .bfloat16: self = .bfloat16
        case .float8e4m3fn: self = .float8e4m3fn
        case .float8e4m3fnuz: self = .float8e4m3fnuz
        case .float8e5m2: self = .float8e5m2
        case .float8e5m2fnuz: self = .float8e5m2fnuz
        case .float8e8m0: self = .float8e8m0
        case .float4e2m1: self = .float4e2m1
        case .int4: self = .int4
        case .uint4: self = .uint4
        case .int2: self = .int2
        case .uint2: self = .uint2
        }
    }
}

extension ONNXDataType {
    /// The elements in the layout of `raw_data`: several in a byte when they have fewer than eight bits.
    fileprivate func packed(_ bytes: Data) -> Data {
        guard elementsPerByte > 1 else { return bytes }
        let bitCount = 8 / elementsPerByte
        var packed = Data(count: storedByteCount(bytes.count))
        for (index, byte) in bytes.enumerated() {
            let bits = byte & UInt8(1 << bitCount - 1)
            packed[index / elementsPerByte] |= bits << UInt8(index % elementsPerByte * bitCount)
        }
        return packed
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
            let dataType = ONNXDataType(tensor.elementType)
            rawData = try tensor.withContiguousBytes { dataType.packed(Data($0)) }
        } catch {
            throw FormatError(error)
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
        case .elementType(let elementType): (type, i) = (.int, Int64(ONNXDataType(elementType).rawValue))
        case .graph: throw .unsupported("attribute \"\(name)\": graphs inside nodes cannot be written")
        }
    }
}
