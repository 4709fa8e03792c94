import Tensors

/// Bytes in the FlatBuffers encoding. Every offset, length and count is checked before it is used.
///
/// Tables may be reached along many paths. Each visit and every byte of a vector counts against a limit, so that a
/// small file cannot describe a large model.
/// Reference: https://flatbuffers.dev/internals/
final class FlatBuffer {
    let bytes: [UInt8]
    /// The memory of `bytes`.
    private let claim: MemoryClaim
    private var visits: [Int: Int] = [:]
    private var repeatedVisits = 0
    private var bytesToRead: Int

    private static let maximumTableCount = 250_000
    private static let maximumRepeatedVisits = 4096

    /// Reads the whole content into memory.
    ///
    /// - Throws: ``FormatError`` when the content does not fit in the memory budget or cannot be read.
    init(_ content: ModelContent) throws(FormatError) {
        do {
            claim = try MemoryClaim(content.byteCount)
            bytes = try [UInt8](unsafeUninitializedCapacity: content.byteCount) { buffer, count in
                let whole = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: content.byteCount)
                try content.read(from: 0, into: whole)
                count = content.byteCount
            }
        } catch {
            throw FormatError(error)
        }
        bytesToRead = 2 * bytes.count + 1 << 16
    }

    /// The table at the root.
    ///
    /// - Throws: ``FormatError/invalid(_:)`` when it lies outside the file.
    func root() throws(FormatError) -> FlatBufferTable {
        try table(at: 0, "the root")
    }

    /// The table to which the offset at `position` points.
    func table(at position: Int, _ name: String) throws(FormatError) -> FlatBufferTable {
        let start = try target(of: position, name)
        if let count = visits[start] {
            visits[start] = count + 1
            repeatedVisits += 1
        } else {
            visits[start] = 1
        }
        guard repeatedVisits <= Self.maximumRepeatedVisits else {
            throw .invalid("\(name): many entries share one table")
        }
        guard visits.count <= Self.maximumTableCount else {
            throw .unsupported("the file has more than \(Self.maximumTableCount) tables")
        }
        return try FlatBufferTable(self, start, name)
    }

    /// The position to which the offset at `position` points; four bytes can be read there.
    func target(of position: Int, _ name: String) throws(FormatError) -> Int {
        let offset = Int(try number(at: position, as: UInt32.self, name))
        let target = position + offset
        guard offset >= 4, target <= bytes.count - 4 else { throw .invalid("\(name) lies outside the file") }
        return target
    }

    /// The little-endian number at `position`.
    func number<Number: FixedWidthInteger>(
        at position: Int, as: Number.Type, _ name: String
    ) throws(FormatError) -> Number {
        guard position >= 0, MemoryLayout<Number>.size <= bytes.count - position else {
            throw .invalid("\(name) lies outside the file")
        }
        var value: Number = 0
        for index in 0..<MemoryLayout<Number>.size {
            value |= Number(truncatingIfNeeded: bytes[position + index]) << Number(8 * index)
        }
        return value
    }

    /// The range of the vector to which the offset at `position` points.
    func vector(at position: Int, elementByteCount: Int, _ name: String) throws(FormatError) -> Range<Int> {
        let start = try target(of: position, name)
        let count = Int(try number(at: start, as: UInt32.self, name))
        guard count <= (bytes.count - start - 4) / elementByteCount else {
            throw .invalid("\(name) has \(count) entries, more than the file")
        }
        return start + 4..<start + 4 + count * elementByteCount
    }

    /// Counts bytes that are copied from the file against the limit.
    func spend(_ count: Int, _ name: String) throws(FormatError) {
        guard count <= bytesToRead else { throw .invalid("\(name): many entries share one vector") }
        bytesToRead -= count
    }
}
