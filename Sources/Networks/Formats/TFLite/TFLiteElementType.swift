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

    private static let names = [
        "FLOAT32", "FLOAT16", "INT32", "UINT8", "INT64", "STRING", "BOOL", "INT16", "COMPLEX64", "INT8", "FLOAT64",
        "COMPLEX128", "UINT64", "RESOURCE", "VARIANT", "UINT32", "UINT16", "INT4", "BFLOAT16", "INT2", "UINT4",
        "FLOAT8_E4M3FN", "FLOAT8_E5M2",
    ]

    /// The schema's name of the type with the number `number`, or the number.
    static func name(_ number: Int) -> String {
        names.indices.contains(number) ? names[number] : "\(number), which is not in the schema that Apus knows"
    }
}
