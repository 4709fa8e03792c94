/// Bytes of a file, read with bounds checks: reads outside the file give nil.
///
/// It does not own the memory, and must not outlive the closure that provides the memory.
struct Bytes {
    let buffer: UnsafeRawBufferPointer

    init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    var count: Int { buffer.count }

    func byte(_ offset: Int) -> UInt8? {
        offset >= 0 && offset < buffer.count ? buffer[offset] : nil
    }

    /// The unsigned integer of `byteCount` bytes at `offset`.
    func integer(at offset: Int, byteCount: Int, bigEndian: Bool = true) -> Int? {
        guard offset >= 0, offset <= count, byteCount <= count - offset, byteCount < 8 else { return nil }
        var value = 0
        for index in 0..<byteCount {
            let shift = 8 * (bigEndian ? byteCount - 1 - index : index)
            value |= Int(buffer[offset + index]) << shift
        }
        return value
    }

    /// `length` bytes from `offset` on; nil when they reach outside the file.
    func slice(_ offset: Int, count length: Int) -> Bytes? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        return Bytes(UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + length]))
    }

    func starts(with prefix: [UInt8], at offset: Int = 0) -> Bool {
        slice(offset, count: prefix.count)?.buffer.elementsEqual(prefix) ?? false
    }

    func starts(with prefix: String, at offset: Int = 0) -> Bool {
        starts(with: Array(prefix.utf8), at: offset)
    }
}
