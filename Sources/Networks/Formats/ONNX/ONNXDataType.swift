import Tensors

/// ONNX's element types, `TensorProto.DataType`.
enum ONNXDataType: Int32, Sendable {
    case undefined = 0
    case float, uint8, int8, uint16, int16, int32, int64, string, bool, float16, double, uint32, uint64
    case complex64, complex128, bfloat16
    case float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, uint4, int4, float4e2m1, float8e8m0
    case uint2, int2

    /// The element type in memory; nil for a type that Apus does not support.
    var elementType: ElementType? {
        switch self {
        case .float: .float32
        case .bfloat16: .bfloat16
        case .float8e4m3fn: .float8e4m3fn
        case .float8e4m3fnuz: .float8e4m3fnuz
        case .float8e5m2: .float8e5m2
        case .float8e5m2fnuz: .float8e5m2fnuz
        case .float8e8m0: .float8e8m0
        case .float4e2m1: .float4e2m1
        case .int4: .int4
        case .uint4: .uint4
        case .int2: .int2
        case .uint2: .uint2
        case .float16: .float16
        case .double: .float64
        case .int8: .int8
        case .uint8: .uint8
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .bool: .bool
        case .undefined, .string, .complex64, .complex128: nil
        }
    }

    /// The number of elements in a byte of `raw_data`, the first in its low bits; 1 also when an element takes several
    /// bytes.
    var elementsPerByte: Int {
        switch self {
        case .int4, .uint4, .float4e2m1: 2
        case .int2, .uint2: 4
        default: 1
        }
    }

    /// The number of bytes that elements take in `raw_data` and in external files.
    func storedByteCount(_ count: Int) -> Int {
        elementsPerByte > 1
            ? count / elementsPerByte + (count % elementsPerByte == 0 ? 0 : 1) : count * (elementType?.byteCount ?? 0)
    }

    /// The data type with the number `code` and its element type.
    static func supported(_ code: Int32) throws(FormatError) -> (dataType: ONNXDataType, elementType: ElementType) {
        guard let dataType = ONNXDataType(rawValue: code) else {
            throw .unsupported("element type \(code) is not known")
        }
        guard dataType != .undefined else { throw .invalid("declares no element type") }
        guard let elementType = dataType.elementType else {
            throw .unsupported("elements of type \(dataType) are not supported")
        }
        return (dataType, elementType)
    }
}
