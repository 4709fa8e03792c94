import Foundation

extension Tensor {
    /// Reads an array from a NumPy `.npy` file: format versions 1 to 3, either byte order, either element order, every
    /// ``ElementType``.
    ///
    ///     let pixels = try Tensor(contentsOfNumPyFile: "pixels.npy")
    ///
    /// - Throws: ``ApusError/file(path:message:)`` naming what is wrong with the file; ``ApusError/memory(_:)``.
    public init(contentsOfNumPyFile path: String) throws(ApusError) {
        let data = try FileContent.read(path)
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
    init(numPyData data: Data) throws {
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
        let storedShape = header.isFortranOrder ? header.shape.reversed() : header.shape
        let stored = try Tensor(header.elementType, shape: storedShape) { bytes in
            elements.copyBytes(to: bytes)
            if header.isBigEndian { Self.reverseElements(of: bytes, byteCount: header.elementType.byteCount) }
            if header.elementType == .bool { for index in bytes.indices where bytes[index] != 0 { bytes[index] = 1 } }
        }
        let axes = header.isFortranOrder ? header.shape.indices.reversed() : Array(header.shape.indices)
        self = try stored.transposed(axes).contiguous()
    }

    /// The header, and the bytes behind it.
    static func numPyParts(_ data: Data) throws(NumPyError) -> (NumPyHeader, Data) {
        guard !data.isEmpty else { throw .damaged("it is empty") }
        if data.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            throw .unsupported("it is an archive of arrays (.npz); unpack it first")
        }
        guard data.starts(with: NumPyHeader.magic) else { throw .damaged("it does not begin as one") }
        let start = data.startIndex
        let fixed = NumPyHeader.magic.count + 2
        guard data.count >= fixed else { throw .damaged("it ends in the header") }
        let version = data[start + NumPyHeader.magic.count]
        guard (1...3).contains(version) else { throw .unsupported("it is of version \(version)") }
        let lengthByteCount = version == 1 ? 2 : 4
        guard data.count >= fixed + lengthByteCount else { throw .damaged("it ends in the header") }
        let length = (0..<lengthByteCount).reduce(0) { $0 | Int(data[start + fixed + $1]) << (8 * $1) }
        guard length <= 1 << 20 else { throw .damaged("it declares a header of \(length) bytes") }
        let end = fixed + lengthByteCount + length
        guard data.count >= end else { throw .damaged("it ends in the header") }
        let text = String(decoding: data[(start + fixed + lengthByteCount)..<(start + end)], as: UTF8.self)
        return (try NumPyHeader(dictionary: text), data[(start + end)...])
    }

    private static func reverseElements(of bytes: UnsafeMutableRawBufferPointer, byteCount: Int) {
        guard byteCount > 1 else { return }
        for start in stride(from: 0, to: bytes.count, by: byteCount) {
            for offset in 0..<byteCount / 2 { bytes.swapAt(start + offset, start + byteCount - 1 - offset) }
        }
    }

    /// Writes the array as a NumPy `.npy` file, row-major.
    ///
    /// The file appears under its name once it is whole; when writing fails, nothing is left behind.
    ///
    /// - Throws: ``ApusError/file(path:message:)``.
    public func write(toNumPyFile path: String) throws(ApusError) {
        try OutputFile.replace(path) { file in
            try NumPyHeader(elementType, shape: shape).encoded.withUnsafeBytes { try file.write($0) }
            try withContiguousBytes { try file.write($0) }
        }
    }
}
