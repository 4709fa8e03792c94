import Tensors

extension ElementType {
    /// The element types by their number in ONNX's `TensorProto.DataType`.
    private static let byNumber: [Int: ElementType] = [
        1: .float32, 2: .uint8, 3: .int8, 4: .uint16, 5: .int16, 6: .int32, 7: .int64, 9: .bool, 10: .float16,
        11: .float64, 12: .uint32, 13: .uint64, 16: .bfloat16, 17: .float8e4m3fn, 18: .float8e4m3fnuz, 19: .float8e5m2,
        20: .float8e5m2fnuz, 21: .uint4, 22: .int4, 23: .float4e2m1, 24: .float8e8m0, 25: .uint2, 26: .int2,
    ]

    /// The number in ONNX's `TensorProto.DataType`.
    package var number: Int64 { Int64(Self.byNumber.first { $0.value == self }?.key ?? 0) }

    /// The element type with a number of ONNX's `TensorProto.DataType`.
    package init(number: Int) throws(OperatorError) {
        guard let type = Self.byNumber[number] else { throw .unsupported("element type \(number)") }
        self = type
    }
}

extension AttributeReader {
    /// An element type, given by its number in ONNX's `TensorProto.DataType`; nil where it is left undefined.
    package mutating func elementType(_ name: String) throws(OperatorError) -> ElementType? {
        guard let number = try int(name), number != 0 else { return nil }
        return try ElementType(number: number)
    }
}
