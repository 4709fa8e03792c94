import CZlib
import FoundationEssentials

/// Decompresses DEFLATE data piece by piece.
///
/// Not safe for concurrent use.
final class Inflation {
    /// What is around the compressed bytes.
    enum Wrapping {
        /// Nothing, as inside zip archives.
        case none
        /// A gzip header and a checksum.
        case gzip
    }

    /// Why bytes could not be decompressed.
    enum Failure: Error {
        case corrupt, outOfMemory
    }

    /// Whether the compressed data has ended and all of its output was given.
    private(set) var isFinished = false

    private let stream: UnsafeMutablePointer<z_stream>

    /// Starts at the beginning of compressed data.
    ///
    /// - Throws: ``Failure/outOfMemory``.
    init(_ wrapping: Wrapping) throws(Failure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let windowBits: Int32 = wrapping == .gzip ? 15 + 16 : -15
        let code = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw .outOfMemory }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Starts on the gzip member that follows the one that ended.
    func restart() {
        inflateReset(stream)
        isFinished = false
    }

    /// Decompresses from `input` into the bytes of `output`.
    ///
    /// - Returns: How many bytes of each were used.
    func inflate(_ input: Data, into output: inout Data) throws(Failure) -> (read: Int, written: Int) {
        try output.withUnsafeMutableBytes { output in
            input.withUnsafeBytes { input in
                Result { () throws(Failure) in try inflate(input, into: output) }
            }
        }.get()
    }

    private func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (read: Int, written: Int) {
        let available = (input: min(input.count, 1 << 30), output: min(output.count, 1 << 30))
        // zlib does not write to its input.
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(
            to: UInt8.self)
        stream.pointee.avail_in = UInt32(available.input)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(available.output)
        let code = CZlib.inflate(stream, Z_NO_FLUSH)
        switch code {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isFinished = true
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .corrupt
        }
        return (
            available.input - Int(stream.pointee.avail_in), available.output - Int(stream.pointee.avail_out)
        )
    }
}

/// The CRC-32 of bytes that come piece by piece.
struct CyclicCheck {
    private(set) var value: UInt32 = 0

    mutating func append(_ data: Data) {
        data.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            value = UInt32(truncatingIfNeeded: crc32_z(uLong(value), start, bytes.count))
        }
    }
}
