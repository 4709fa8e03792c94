import CZlib
import FoundationEssentials

/// The CRC-32 checksum of gzip and PNG, of bytes that come piece by piece. It detects accidents, not forgeries.
package struct Checksum: Sendable, Equatable {
    package private(set) var value: UInt32 = 0

    /// The checksum of no bytes.
    package init() {}

    /// The checksum of some bytes.
    package init(_ bytes: [UInt8]) { add(numbers: bytes) }

    /// Adds a piece.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), start, bytes.count))
    }

    /// Adds the UTF-8 bytes of a text.
    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// Adds the bytes of numbers.
    package mutating func add<Number: BitwiseCopyable>(numbers: [Number]) { numbers.withUnsafeBytes { add($0) } }

    /// Adds bytes of which only the checksum and the count are known.
    package mutating func add(_ other: Checksum, byteCount: Int) {
        value = UInt32(truncatingIfNeeded: crc32_combine(UInt(value), UInt(other.value), byteCount))
    }

    /// The checksum as 8 hexadecimal digits.
    package var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension Checksum {
    private static let pieceByteCount = 1 << 20

    /// The checksum of a part of a file.
    ///
    /// - Parameter body: Called with each piece.
    /// - Throws: ``ApusError/file(path:message:)``, also for a file that ends before the part does.
    package init(
        of path: String, in range: Range<Int>, _ body: (Data) -> Void = { _ in }
    ) throws(ApusError) {
        var start = range.lowerBound
        while start < range.upperBound {
            let count = min(Self.pieceByteCount, range.upperBound - start)
            let piece = try FileContent.read(path, from: start, count: count)
            guard piece.count == count else {
                throw .file(
                    path: path,
                    message: "holds \(start + piece.count) bytes of the \(range.upperBound) that were committed")
            }
            piece.withUnsafeBytes { add($0) }
            body(piece)
            start += count
        }
    }
}
