import FoundationEssentials
import Platform
import Tensors

extension Tensor {
    /// Reads an array from a NumPy `.npy` file: format versions 1 to 3, either byte order, either element order, every
    /// ``ElementType``.
    ///
    ///     let pixels = try Tensor(contentsOfNumPyFile: "pixels.npy")
    ///
    /// - Throws: ``ApusError/file(path:message:)`` saying what is wrong with the file; ``ApusError/memory(_:)``.
    public init(contentsOfNumPyFile path: String) throws(ApusError) {
        // The file's content and the array are in memory together.
        let data = try FileContent.read(path, atMost: Int(clamping: ProcessInfo.processInfo.physicalMemory / 3))
        MemoryBudget.process.earn(arrayByteCount: data.count)
        do {
            try self.init(numPyData: data)
        } catch let error as TensorError {
            throw .memory("\(path): \(error)")
        } catch {
            throw .file(path: path, message: "\(error)")
        }
    }

    /// Reads an array from the content of a `.npy` file.
    ///
    /// - Throws: ``NumPyError`` or `TensorError`.
    package init(numPyData data: Data) throws {
        let (header, elements) = try Self.numPyParts(data)
        let expected: Int
        do {
            expected = try Shape.byteCount(header.shape, header.elementType)
        } catch {
            throw NumPyError.damaged("\(error)")
        }
        guard elements.count >= expected else {
            throw NumPyError.damaged(
                "it is cut off: \(header.elementType)\(header.shape) takes \(expected) bytes, \(elements.count) are "
                    + "there")
        }
        guard elements.count == expected else {
            throw NumPyError.damaged(
                "\(header.elementType)\(header.shape) takes \(expected) bytes, but \(elements.count) are there")
        }
        self = try Self(numPyElements: elements, header)
    }

    /// Makes a tensor of a file's elements, of which there are as many as the header says.
    package init(numPyElements elements: Data, _ header: NumPyHeader) throws {
        let storedShape = header.isFortranOrder ? header.shape.reversed() : header.shape
        let stored = try Tensor(header.elementType, shape: storedShape) { bytes in
            elements.copyBytes(to: bytes)
            if header.isBigEndian { Self.reverseElements(of: bytes, byteCount: header.elementType.byteCount) }
            if header.elementType == .bool { for index in bytes.indices where bytes[index] != 0 { bytes[index] = 1 } }
        }
        let axes = header.isFortranOrder ? header.shape.indices.reversed() : Array(header.shape.indices)
        self = try stored.transposed(axes).contiguous()
    }

    /// The header, and the bytes after it.
    private static func numPyParts(_ data: Data) throws -> (NumPyHeader, Data) {
        var rest = data
        let header = try NumPyHeader { count in
            let part = rest.prefix(count)
            rest = rest.dropFirst(count)
            return part
        }
        return (header, rest)
    }

    private static func reverseElements(of bytes: UnsafeMutableRawBufferPointer, byteCount: Int) {
        guard byteCount > 1 else { return }
        for start in stride(from: 0, to: bytes.count, by: byteCount) {
            for offset in 0..<byteCount / 2 { bytes.swapAt(start + offset, start + byteCount - 1 - offset) }
        }
    }

    /// Writes the array as a NumPy `.npy` file, row-major. Element types that NumPy lacks become float32.
    ///
    /// The file appears under its name only when it is complete; when writing fails, nothing is left behind.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(toNumPyFile path: String) throws(ApusError) {
        try OutputFile.replace(path) { file in
            let stored = try converted(to: elementType.inNumPy)
            try NumPyHeader(stored.elementType, shape: shape).encoded.withUnsafeBytes { try file.write($0) }
            try stored.withContiguousBytes { try file.write($0) }
        }
    }
}

extension ElementType {
    /// The type as which NumPy's files have elements of this type: the same, or float32 for one that NumPy lacks, all
    /// of whose numbers float32 has.
    package var inNumPy: ElementType {
        switch self {
        case .float16, .float32, .float64, .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64, .bool: self
        default: .float32
        }
    }
}
