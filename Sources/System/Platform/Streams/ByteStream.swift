import FoundationEssentials

/// The bytes of a source in order, decompressed if they are gzip, in blocks of bounded size.
///
/// Not safe for concurrent use.
package final class ByteStream {
    /// Why the bytes end before the source's own end mark.
    package enum Damage: Error {
        /// The compressed bytes end too early.
        case cutOff
        /// The compressed bytes contradict their format.
        case corrupt
        /// There is not enough memory to decompress.
        case outOfMemory
        /// The system refused to read.
        case unreadable(ApusError)
    }

    private static let blockByteCount = 1 << 16

    /// Whether the source is gzip data.
    package let isCompressed: Bool
    /// The number of bytes that were read or skipped.
    private(set) var offset = 0

    private let source: ByteSource
    private let inflation: Inflation?
    /// Compressed bytes from the source that are still to be decompressed.
    private var compressed = Data()
    /// Bytes that are still to be read from the stream.
    private var block = Data()
    private var sourceIsOver = false

    /// Starts at the source's beginning.
    package init(_ source: ByteSource) throws(Damage) {
        self.source = source
        let first = try Self.block(of: source)
        let second = first.count == 1 ? try Self.block(of: source) : Data()
        let start = first + second
        isCompressed = start.starts(with: [0x1F, 0x8B])
        if isCompressed {
            do { inflation = try Inflation(.gzip) } catch { throw .outOfMemory }
            compressed = start
        } else {
            inflation = nil
            block = start
        }
        sourceIsOver = start.isEmpty
    }

    /// The next `count` bytes; fewer when the stream ends earlier.
    ///
    /// Memory is allocated as the bytes come, so that a false size in a file costs nothing.
    package func read(_ count: Int) throws(Damage) -> Data {
        var result = Data()
        while result.count < count, try fill() {
            let part = block.prefix(count - result.count)
            result.append(part)
            block = block.dropFirst(part.count)
        }
        offset += result.count
        return result
    }

    /// Skips bytes.
    ///
    /// - Returns: How many bytes were skipped: `count`, unless the stream ends earlier.
    package func skip(_ count: Int) throws(Damage) -> Int {
        var left = count
        if inflation == nil, let byteCount = source.byteCount, left > block.count {
            let target = min(byteCount, offset + left)
            do throws(ApusError) { try source.seek(to: target) } catch { throw .unreadable(error) }
            let skipped = max(0, target - offset)
            block = Data()
            offset += skipped
            return skipped
        }
        while left > 0, try fill() {
            let part = min(left, block.count)
            block = block.dropFirst(part)
            left -= part
        }
        offset += count - left
        return count - left
    }

    /// The bytes up to a separator, which is skipped, or to the end; nil at the end.
    ///
    /// - Parameters:
    ///   - other: A second byte that ends the bytes, too.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The bytes, the separator that ended them, and whether there were more than `limit`; the next call
    ///   then goes on with the rest.
    package func read(
        to separator: UInt8, or other: UInt8? = nil, atMost limit: Int
    ) throws(Damage) -> (bytes: Data, separator: UInt8?, isCut: Bool)? {
        guard try fill() else { return nil }
        var result = Data()
        var (found, isCut) = (UInt8?.none, false)
        while !isCut, try fill() {
            var end = block.firstIndex(of: separator)
            if let other, let earlier = block[..<(end ?? block.endIndex)].firstIndex(of: other) { end = earlier }
            found = end.map { block[$0] }
            let part = block[..<(end ?? block.endIndex)]
            isCut = isCut || part.count > limit - result.count
            result.append(part.prefix(limit - result.count))
            let taken = part.count + (end == nil ? 0 : 1)
            block = block.dropFirst(taken)
            offset += taken
            if end != nil { break }
        }
        return (result, found, isCut)
    }

    /// Whether the next byte is `byte`, which is then skipped.
    package func skip(_ byte: UInt8) throws(Damage) -> Bool {
        guard try fill(), block.first == byte else { return false }
        block = block.dropFirst()
        offset += 1
        return true
    }

    /// Fills the block if it is empty, and returns whether it has bytes.
    private func fill() throws(Damage) -> Bool {
        while block.isEmpty {
            if GracefulStop.isEnding { throw .unreadable(.cancelled) }
            guard let inflation else {
                if sourceIsOver { return false }
                block = try Self.block(of: source)
                sourceIsOver = block.isEmpty
                continue
            }
            if compressed.isEmpty, !sourceIsOver {
                compressed = try Self.block(of: source)
                sourceIsOver = compressed.isEmpty
            }
            if inflation.isFinished {
                // One gzip member may follow another; zeros after the last are padding.
                compressed = compressed.drop { $0 == 0 }
                if compressed.isEmpty {
                    if sourceIsOver { return false }
                    continue
                }
                inflation.restart()
            }
            if compressed.isEmpty { throw .cutOff }
            try inflateBlock(inflation)
        }
        return true
    }

    private func inflateBlock(_ inflation: Inflation) throws(Damage) {
        var output = Data(count: Self.blockByteCount)
        do throws(Inflation.Failure) {
            let used = try inflation.inflate(compressed, into: &output)
            compressed = compressed.dropFirst(used.read)
            block = output.prefix(used.written)
        } catch {
            throw error == .outOfMemory ? .outOfMemory : .corrupt
        }
    }

    private static func block(of source: ByteSource) throws(Damage) -> Data {
        var data = Data(count: blockByteCount)
        do throws(ApusError) {
            let count = try data.withUnsafeMutableBytes { bytes in
                Result { () throws(ApusError) in try source.read(into: bytes) }
            }.get()
            return data.prefix(count)
        } catch {
            throw .unreadable(error)
        }
    }
}

extension ByteStream.Damage {
    /// What is wrong: a message that follows the source's name.
    package var message: String {
        switch self {
        case .cutOff: "is cut off: its compressed bytes end in the middle"
        case .corrupt: "is damaged: its compressed bytes contradict gzip"
        case .outOfMemory: "cannot be decompressed: there is not enough memory"
        case .unreadable(.file(_, let message)): message
        case .unreadable(let error): "\(error)"
        }
    }

    /// The error of a file that cannot be used at all.
    package func error(_ name: String) -> ApusError { .file(path: name, message: message) }

    /// A short name for programs.
    package var code: String {
        switch self {
        case .cutOff: "truncated"
        case .corrupt: "corrupt"
        case .outOfMemory: "out-of-memory"
        case .unreadable: "unreadable"
        }
    }
}
