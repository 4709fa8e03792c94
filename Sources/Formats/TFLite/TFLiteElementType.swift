import Tensors

/// The types of tensors in the schema.
enum TFLiteElementType {
    /// The element type with the number `number` in the schema.
    static func elementType(_ number: Int) -> ElementType? {
        switch number {
        case 0: .float32
        case 1: .float16
        case 2: .int32
        case 3: .uint8
        case 4: .int64
        case 6: .bool
        case 7: .int16
        case 9: .int8
        case 10: .float64
        case 12: .uint64
        case 15: .uint32
        case 16: .uint16
        case 17: .int4
        case 18: .bfloat16
        default: nil
        }
    }
}
