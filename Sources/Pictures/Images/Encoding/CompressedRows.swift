import CZlib

/// The rows of a PNG file as a stream of zlib, each after a byte that names its filter.
///
/// Source: https://www.w3.org/TR/png-3/#9Filters
final class CompressedRows {
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool
    private let byteCount: Int
    private let pixelByteCount: Int
    private let filter: UInt8

    /// - Parameters:
    ///   - byteCount: The bytes of a row.
    ///   - filter: 0 for rows as they are, 1 for differences from the pixel to the left.
    init(byteCount: Int, pixelByteCount: Int, filter: UInt8) {
        (self.byteCount, self.pixelByteCount, self.filter) = (byteCount, pixelByteCount, filter)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        isReady = deflateInit_(stream, 6, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        if isReady { deflateEnd(stream) }
        stream.deallocate()
    }

    /// Compresses whole rows.
    ///
    /// - Parameter isLast: Whether no further rows follow.
    /// - Returns: What is ready of the stream, in parts.
    /// - Throws: ``ImageError/outOfMemory``.
    func add(_ bytes: [UInt8], isLast: Bool) throws(ImageError) -> [[UInt8]] {
        guard isReady else { throw .outOfMemory }
        var parts: [[UInt8]] = []
        let rowsAtATime = max(1, (1 << 18) / (byteCount + 1))
        for start in stride(from: 0, to: bytes.count, by: rowsAtATime * byteCount) {
            let end = min(bytes.count, start + rowsAtATime * byteCount)
            let isEnd = isLast && end == bytes.count
            parts += try compressed(filtered(bytes[start..<end]), isEnd ? Z_FINISH : Z_NO_FLUSH)
        }
        return parts
    }

    private func filtered(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity(bytes.count + bytes.count / byteCount)
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: byteCount) {
            rows.append(filter)
            let row = start..<start + byteCount
            guard filter == 1 else {
                rows += bytes[row]
                continue
            }
            rows += bytes[row.prefix(pixelByteCount)]
            for place in row.dropFirst(pixelByteCount) { rows.append(bytes[place] &- bytes[place - pixelByteCount]) }
        }
        return rows
    }

    private func compressed(_ rows: [UInt8], _ flush: Int32) throws(ImageError) -> [[UInt8]] {
        var rows = rows
        var parts: [[UInt8]] = []
        var status = Z_OK
        rows.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { output, count in
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = 1 << 16
                    status = deflate(stream, flush)
                    count = (1 << 16) - Int(stream.pointee.avail_out)
                }
                if !part.isEmpty { parts.append(part) }
            } while status == Z_OK && stream.pointee.avail_out == 0
        }
        guard status == (flush == Z_FINISH ? Z_STREAM_END : Z_OK) || status == Z_BUF_ERROR && flush == Z_NO_FLUSH else {
            throw .outOfMemory
        }
        return parts
    }
}
