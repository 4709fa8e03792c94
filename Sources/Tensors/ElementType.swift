/// The type of a tensor's elements.
///
/// Names and meanings follow ONNX's `TensorProto.DataType`.
public enum ElementType: String, Sendable, Hashable, CaseIterable {
    case float32, float16, float64
    case int8, uint8, int16, uint16, int32, uint32, int64, uint64
    case bool

    /// The number of bytes one element takes in memory.
    public var byteCount: Int {
        switch self {
        case .int8, .uint8, .bool: 1
        case .float16, .int16, .uint16: 2
        case .float32, .int32, .uint32: 4
        case .float64, .int64, .uint64: 8
        }
    }

    /// Whether elements are floating-point numbers.
    public var isFloatingPoint: Bool {
        switch self {
        case .float32, .float16, .float64: true
        default: false
        }
    }

    /// The Swift type that holds one element.
    package var swiftType: any TensorElement.Type {
        switch self {
        case .float32: Float.self
        case .float16: Float16.self
        case .float64: Double.self
        case .int8: Int8.self
        case .uint8: UInt8.self
        case .int16: Int16.self
        case .uint16: UInt16.self
        case .int32: Int32.self
        case .uint32: UInt32.self
        case .int64: Int64.self
        case .uint64: UInt64.self
        case .bool: Bool.self
        }
    }
}

extension ElementType: CustomStringConvertible {
    public var description: String { rawValue }
}
