import NumPyFiles
import Platform
import Runs
import Tensors

/// The vectors of a NumPy array of float32 that ``NumPySink`` wrote, read block by block.
struct ArrayEmbeddings: EmbeddingRows {
    let count: Int
    let vectorLength: Int

    private let path: String
    private let file: ByteSource
    private let start: Int

    /// Opens an array [rows, elements].
    ///
    /// - Throws: ``ApusError/file(path:message:)`` for anything else.
    init(path: String) throws(ApusError) {
        self.path = path
        file = try ByteSource(path: path)
        let header: NumPyHeader
        do {
            header = try NumPyHeader { [file] count in try file.readFully(count) }
        } catch let error as ApusError {
            throw error
        } catch {
            throw .file(path: path, message: "\(error)")
        }
        guard header.elementType == .float32, !header.isBigEndian, !header.isFortranOrder else {
            throw .file(path: path, message: "is an array of \(header.elementType); vectors are float32, row by row")
        }
        guard header.shape.count == 2, header.shape[1] > 0 else {
            throw .file(path: path, message: "is an array \(header.shape); vectors are rows of an array of two axes")
        }
        (count, vectorLength, start) = (header.shape[0], header.shape[1], header.byteCount)
        guard let byteCount = NumPySink.byteCount(rows: count, of: [vectorLength]), let size = file.byteCount,
            size - start == byteCount
        else {
            throw .file(
                path: path,
                message: "does not have the bytes of \(count) vectors of \(vectorLength) numbers that its header names")
        }
    }

    /// The size of all rows in bytes.
    var byteCount: Int { count * vectorLength * MemoryLayout<Float>.stride }

    func withRows<Result>(
        _ range: Range<Int>, _ scratch: inout [Float], _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) throws -> Result {
        let count = range.count * vectorLength
        if scratch.count < count { scratch = [Float](repeating: 0, count: count) }
        let offset = start + range.lowerBound * vectorLength * MemoryLayout<Float>.stride
        try scratch.withUnsafeMutableBytes { bytes in
            try read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(count * 4)))
        }
        return try scratch.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0.prefix(count))) }
    }

    /// Reads all bytes of a buffer.
    func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(ApusError) {
        guard try file.read(at: offset, into: bytes) == bytes.count else {
            throw .file(path: path, message: "was cut while it was read")
        }
    }

    /// All vectors, in memory.
    func held() throws(ApusError) -> HeldEmbeddings {
        do {
            let tensor = try Tensor(.float32, shape: [count, vectorLength]) { bytes in
                try read(at: start, into: bytes)
            }
            return HeldEmbeddings(tensor)
        } catch let error as ApusError {
            throw error
        } catch {
            throw .memory("\(path): \(error)")
        }
    }
}
