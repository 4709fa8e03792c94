import Tensors

extension ONNXTensorReader {
    /// Makes a tensor from the repeated field that ONNX assigns to its element type.
    func typed(_ message: ONNXTensorProto, _ dataType: ONNXDataType, _ shape: [Int]) throws -> Tensor {
        switch dataType {
        case .float: try Tensor(message.floatData, shape: shape)
        case .double: try Tensor(message.doubleData, shape: shape)
        case .int64: try Tensor(message.int64Data, shape: shape)
        case .int32: try Tensor(message.int32Data, shape: shape)
        case .uint64: try Tensor(message.uint64Data, shape: shape)
        case .uint32: try Tensor(narrowed(message.uint64Data, to: UInt32.self), shape: shape)
        case .int16: try Tensor(narrowed(message.int32Data, to: Int16.self), shape: shape)
        case .uint16: try Tensor(narrowed(message.int32Data, to: UInt16.self), shape: shape)
        case .int8: try Tensor(narrowed(message.int32Data, to: Int8.self), shape: shape)
        case .uint8: try Tensor(narrowed(message.int32Data, to: UInt8.self), shape: shape)
        case .bool: try Tensor(message.int32Data.map { $0 != 0 }, shape: shape)
        case .float16:
            try Tensor(
                narrowed(message.int32Data, to: UInt16.self).map { Float16(bitPattern: $0) }, shape: shape)
        case .bfloat16:
            try Tensor(
                narrowed(message.int32Data, to: UInt16.self).map { Float(bitPattern: UInt32($0) << 16) }, shape: shape)
        default: throw FormatError.unsupported("elements of type \(dataType) are not supported")
        }
    }

    private func narrowed<Wide: BinaryInteger, Narrow: FixedWidthInteger>(
        _ values: [Wide], to type: Narrow.Type
    ) throws(FormatError) -> [Narrow] {
        var result: [Narrow] = []
        result.reserveCapacity(values.count)
        for value in values {
            guard let narrow = Narrow(exactly: value) else {
                throw .invalid("\(value) is not a value of its element type")
            }
            result.append(narrow)
        }
        return result
    }
}
