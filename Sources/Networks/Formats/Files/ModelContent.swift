import FoundationEssentials
import Glibc
import Tensors

/// The bytes of a model: in memory, or in a file from which they are read on demand.
///
/// The file is read and never mapped: when another program truncates a mapped file, reading it ends the process.
package struct ModelContent: Sendable {
    private enum Source {
        case memory(Data)
        case file(ModelFile)
    }

    /// The number of bytes.
    package let byteCount: Int
    private let source: Source

    /// Content that is in memory.
    package init(_ data: Data) {
        byteCount = data.count
        source = .memory(data)
    }

    /// Makes the content of a regular file; no byte is read yet.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor, which is closed with the last copy of this value.
    ///   - status: The result of `fstat` for the descriptor.
    package init(descriptor: Int32, status: stat) {
        let file = ModelFile(descriptor: descriptor, status: status)
        byteCount = file.byteCount
        source = .file(file)
    }

    /// Makes the content of an open file.
    init(_ file: ModelFile) {
        byteCount = file.byteCount
        source = .file(file)
    }

    /// Fills `buffer` with bytes, beginning at `offset`.
    ///
    /// - Throws: ``FormatError/unreadable(_:)`` when the file has become too short or cannot be read.
    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) {
        switch source {
        case .file(let file): try file.read(from: offset, into: buffer)
        case .memory(let data):
            guard offset >= 0, buffer.count <= data.count - offset else { throw ModelFile.becameShorter }
            let start = data.startIndex + offset
            data.copyBytes(to: buffer, from: start..<start + buffer.count)
        }
    }

    /// The bytes of a range.
    func bytes(_ range: Range<Int>) throws(FormatError) -> Data {
        if case .memory(let data) = source, range.upperBound <= data.count {
            return data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]
        }
        var bytes = Data(count: range.count)
        do {
            try bytes.withUnsafeMutableBytes { try read(from: range.lowerBound, into: $0) }
        } catch let error as FormatError {
            throw error
        } catch {
            throw .unreadable("\(error)")
        }
        return bytes
    }

    /// Reads the bytes of a range on demand, unless the file has been written to; nil for content in memory.
    func derivation(of range: Range<Int>) -> Storage.Derivation? {
        guard case .file(let file) = source else { return nil }
        return { start throws(TensorError) in
            let buffer = UnsafeMutableRawBufferPointer(start: start, count: range.count)
            try file.readUnchanged(from: range.lowerBound, into: buffer)
        }
    }

    /// All bytes.
    func allBytes() throws(FormatError) -> Data { try bytes(0..<byteCount) }
}
