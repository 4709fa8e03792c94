/// The type of a tensor's elements.
///
/// Names and meanings follow ONNX's `TensorProto.DataType`.
public enum ElementType: String, Sendable, Hashable, CaseIterable {
    case float32, float16, float64, bfloat16
    case int8, uint8, int16, uint16, int32, uint32, int64, uint64
    case bool
    case float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0, float4e2m1
    case int4, uint4, int2, uint2

    /// The number of bytes one element takes in memory. Types of fewer than eight bits take a byte.
    public var byteCount: Int {
        switch self {
        case .int8, .uint8, .bool, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float8e8m0,
            .float4e2m1, .int4, .uint4, .int2, .uint2:
            1
        case .float16, .bfloat16, .int16, .uint16: 2
        case .float32, .int32, .uint32: 4
        case .float64, .int64, .uint64: 8
        }
    }

    /// Whether elements are floating-point numbers.
    public var isFloatingPoint: Bool {
        switch self {
        case .float32, .float16, .float64, .bfloat16, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz,
            .float8e8m0, .float4e2m1:
            true
        default: false
        }
    }

    /// The Swift type that holds one element.
    package var swiftType: any TensorElement.Type {
        switch self {
        case .float32: Float.self
        case .float16: Float16.self
        case .float64: Double.self
        case .bfloat16: BFloat16.self
        case .int8: Int8.self
        case .uint8: UInt8.self
        case .int16: Int16.self
        case .uint16: UInt16.self
        case .int32: Int32.self
        case .uint32: UInt32.self
        case .int64: Int64.self
        case .uint64: UInt64.self
        case .bool: Bool.self
        case .float8e4m3fn: Float8E4M3FN.self
        case .float8e4m3fnuz: Float8E4M3FNUZ.self
        case .float8e5m2: Float8E5M2.self
        case .float8e5m2fnuz: Float8E5M2FNUZ.self
        case .float8e8m0: Float8E8M0.self
        case .float4e2m1: Float4E2M1.self
        case .int4: Int4.self
        case .uint4: UInt4.self
        case .int2: Int2.self
        case .uint2: UInt2.self
        }
    }
}

extension ElementType: CustomStringConvertible {
    public var description: String { rawValue }
}
