import FoundationEssentials
import Tensors

/// Turns a serialized `TensorProto` into a tensor.
///
/// Every length is compared with the shape before memory is allocated, so that a shape without data allocates nothing.
struct ONNXTensorReader {
    /// The files that may hold external data.
    private let files: ONNXExternalFiles?
    /// Memory for elements that do not stay in the file.
    private let weightMemory = WeightMemory(expecting: 0)

    init(folder: URL?) {
        files = folder.map(ONNXExternalFiles.init)
    }

    /// Reads a tensor.
    ///
    /// - Parameter rawData: The message's `raw_data`, when it is not in the message.
    func tensor(_ message: ONNXTensorProto, _ rawData: ONNXRawData? = nil) throws(FormatError) -> Tensor {
        guard !message.hasSegment else { throw .unsupported("tensors stored in segments are not supported") }
        let (dataType, elementType) = try ONNXDataType.supported(message.dataType)
        let shape = message.dims.map(Int.init)
        do {
            let count = try Shape.elementCount(shape)
            _ = try Shape.byteCount(shape, elementType)
            if message.dataLocation == .external {
                let data = try ONNXExternalData(message.externalData, files: files)
                let file = try data.open(byteCount: dataType.storedByteCount(count))
                return try tensor(dataType, elementType, shape) { buffer throws(FormatError) in
                    try file.read(from: data.offset, into: buffer)
                }
            }
            let rawData = rawData ?? ONNXRawData(message.rawData)
            if rawData.range.isEmpty { return try typed(message, dataType, shape) }
            try check(message, rawData, shape, expected: dataType.storedByteCount(count))
            if rawData.range.count >= Tensor.minimumDerivedByteCount, elementType.isFloatingPoint,
                dataType.elementsPerByte == 1,
                let derivation = rawData.content.derivation(of: rawData.range)
            {
                return try Tensor(deriving: elementType, shape: shape, by: derivation)
            }
            return try tensor(dataType, elementType, shape) { buffer in try rawData.copyBytes(to: buffer) }
        } catch {
            throw FormatError(error)
        }
    }

    private func check(
        _ message: ONNXTensorProto, _ rawData: ONNXRawData, _ shape: [Int], expected: Int
    ) throws(FormatError) {
        guard rawData.range.count == expected else {
            throw .invalid("shape \(shape) needs \(expected) bytes, but \(rawData.range.count) are given")
        }
        let hasTypedData =
            !message.floatData.isEmpty || !message.int32Data.isEmpty || !message.int64Data.isEmpty
            || !message.doubleData.isEmpty || !message.uint64Data.isEmpty
        guard !hasTypedData else { throw .invalid("its elements are given twice") }
    }

    /// Makes a tensor from bytes in the layout of `raw_data` that `fill` writes.
    private func tensor(
        _ dataType: ONNXDataType, _ elementType: ElementType, _ shape: [Int],
        fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws -> Tensor {
        try weightMemory.tensor(elementType, shape: shape) { destination in
            switch dataType {
            case .bool:
                try fill(destination)
                for index in destination.indices where destination[index] != 0 { destination[index] = 1 }
            case _ where dataType.elementsPerByte > 1:
                // Packed bytes are written to the end of the buffer, then unpacked from there towards the front.
                let start = destination.count - dataType.storedByteCount(destination.count)
                try fill(UnsafeMutableRawBufferPointer(rebasing: destination[start...]))
                for index in destination.indices {
                    destination[index] = dataType.element(
                        index % dataType.elementsPerByte, of: destination[start + index / dataType.elementsPerByte])
                }
            default: try fill(destination)
            }
        }
    }
}

extension ONNXDataType {
    /// One of the elements that share a byte, unpacked to a byte of its own.
    func element(_ index: Int, of byte: UInt8) -> UInt8 {
        let bitCount = 8 / elementsPerByte
        let bits = byte >> UInt8(index * bitCount) & UInt8(1 << bitCount - 1)
        let isNegative = (self == .int4 || self == .int2) && bits >> UInt8(bitCount - 1) == 1
        return isNegative ? bits | ~UInt8(1 << bitCount - 1) : bits
    }
}
