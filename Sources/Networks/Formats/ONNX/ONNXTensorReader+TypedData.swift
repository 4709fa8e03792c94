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
            try Tensor(narrowed(message.int32Data, to: UInt16.self).map(BFloat16.init(bitPattern:)), shape: shape)
        case .float8e4m3fn: try Tensor(bytes(message).map(Float8E4M3FN.init(bits:)), shape: shape)
        case .float8e4m3fnuz: try Tensor(bytes(message).map(Float8E4M3FNUZ.init(bits:)), shape: shape)
        case .float8e5m2: try Tensor(bytes(message).map(Float8E5M2.init(bits:)), shape: shape)
        case .float8e5m2fnuz: try Tensor(bytes(message).map(Float8E5M2FNUZ.init(bits:)), shape: shape)
        case .float8e8m0: try Tensor(bytes(message).map(Float8E8M0.init(bits:)), shape: shape)
        case .float4e2m1: try Tensor(spread(message, dataType, shape).map(Float4E2M1.init(bits:)), shape: shape)
        case .int4: try Tensor(spread(message, dataType, shape).map { Int4(truncating: Int64($0)) }, shape: shape)
        case .uint4: try Tensor(spread(message, dataType, shape).map { UInt4(truncating: Int64($0)) }, shape: shape)
        case .int2: try Tensor(spread(message, dataType, shape).map { Int2(truncating: Int64($0)) }, shape: shape)
        case .uint2: try Tensor(spread(message, dataType, shape).map { UInt2(truncating: Int64($0)) }, shape: shape)
        case .undefined, .string, .complex64, .complex128:
            throw FormatError.unsupported("elements of type \(dataType) are not supported")
        }
    }

    private func bytes(_ message: ONNXTensorProto) throws(FormatError) -> [UInt8] {
        try narrowed(message.int32Data, to: UInt8.self)
    }

    /// Makes a tensor from elements of fewer than eight bits, which share bytes.
    private func spread(
        _ message: ONNXTensorProto, _ dataType: ONNXDataType, _ shape: [Int]
    ) throws -> [UInt8] {
        let bytes = try bytes(message)
        let count = try Shape.elementCount(shape)
        guard bytes.count == dataType.storedByteCount(count) else {
            throw TensorError.elementCount(expected: count, found: bytes.count * dataType.elementsPerByte, shape: shape)
        }
        return (0..<count).map { index in
            dataType.element(index % dataType.elementsPerByte, of: bytes[index / dataType.elementsPerByte])
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
