import FoundationEssentials

/// The list of contents of a zip archive, zip64 included.
///
/// Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
package struct ZipArchive {
    /// A file in the archive.
    package struct Entry {
        package let name: String
        /// Whether the bytes are compressed with DEFLATE, or stored as they are.
        let isDeflated: Bool
        let compressedByteCount: Int
        package let byteCount: Int
        package let checksum: UInt32
        fileprivate let headerOffset: Int
    }

    /// Why an archive cannot be read.
    package enum Damage: Error {
        case corrupt(String)
        case unsupported(String)
        case unreadable(ApusError)
    }

    package let entries: [Entry]
    private let source: ByteSource
    private let byteCount: Int

    /// A list of contents longer than this is refused.
    private static let maximumListByteCount = 64 << 20

    package init(_ source: ByteSource) throws(Damage) {
        guard let byteCount = source.byteCount else { throw .unsupported("is a pipe, not a file") }
        self.source = source
        self.byteCount = byteCount
        let list = try Self.list(source, byteCount)
        var entries: [Entry] = []
        var position = 0
        for _ in 0..<list.count {
            let (entry, length) = try Self.entry(list.bytes, at: position)
            guard entry.headerOffset <= byteCount, entry.compressedByteCount <= byteCount - entry.headerOffset else {
                throw .corrupt("\"\(entry.name.printable)\" lies outside the file")
            }
            entries.append(entry)
            position += length
        }
        // Entries that overlap would let a small file stand for any amount of data.
        let total = entries.reduce(0) { $0.addingReportingOverflow($1.compressedByteCount).partialValue }
        guard total >= 0, total <= byteCount else { throw .corrupt("its entries overlap") }
        self.entries = entries
    }

    /// Where an entry's bytes begin in the file.
    func dataOffset(of entry: Entry) throws(Damage) -> Int {
        let header = try Self.read(source, at: entry.headerOffset, count: 30)
        guard header.count == 30, header.integer(at: 0, byteCount: 4) == 0x0403_4B50 else {
            throw .corrupt("\"\(entry.name.printable)\" has no header")
        }
        let start =
            entry.headerOffset + 30 + header.integer(at: 26, byteCount: 2) + header.integer(at: 28, byteCount: 2)
        guard start <= byteCount, entry.compressedByteCount <= byteCount - start else {
            throw .corrupt("\"\(entry.name.printable)\" lies outside the file")
        }
        return start
    }

    /// The bytes of the list of contents and the number of entries in it.
    private static func list(_ source: ByteSource, _ byteCount: Int) throws(Damage) -> (bytes: Data, count: Int) {
        // The end record has 22 bytes, followed by a comment of at most 65,535 bytes.
        let tailOffset = max(0, byteCount - 65_557)
        let tail = try read(source, at: tailOffset, count: byteCount - tailOffset)
        let positions = stride(from: tail.count - 22, through: 0, by: -1)
        guard let end = positions.first(where: { tail.integer(at: $0, byteCount: 4) == 0x0605_4B50 }) else {
            throw .corrupt("it is not a zip archive, or its end is missing")
        }
        var count = tail.integer(at: end + 10, byteCount: 2)
        var size = tail.integer(at: end + 12, byteCount: 4)
        var offset = tail.integer(at: end + 16, byteCount: 4)
        if end >= 20, tail.integer(at: end - 20, byteCount: 4) == 0x0706_4B50 {
            let record = try read(source, at: tail.integer(at: end - 12, byteCount: 8), count: 56)
            guard record.count == 56, record.integer(at: 0, byteCount: 4) == 0x0606_4B50 else {
                throw .corrupt("its zip64 end is missing")
            }
            count = record.integer(at: 32, byteCount: 8)
            size = record.integer(at: 40, byteCount: 8)
            offset = record.integer(at: 48, byteCount: 8)
        }
        guard (0...maximumListByteCount).contains(size), offset >= 0, offset <= byteCount, size <= byteCount - offset,
            count >= 0, count <= size / 46
        else { throw .corrupt("its list of contents lies outside the file or is too long") }
        return (try read(source, at: offset, count: size), count)
    }

    /// An entry of the list, and how many bytes it takes there.
    private static func entry(_ list: Data, at position: Int) throws(Damage) -> (Entry, length: Int) {
        guard position + 46 <= list.count, list.integer(at: position, byteCount: 4) == 0x0201_4B50 else {
            throw .corrupt("its list of contents is damaged")
        }
        let nameLength = list.integer(at: position + 28, byteCount: 2)
        let extraLength = list.integer(at: position + 30, byteCount: 2)
        let length = 46 + nameLength + extraLength + list.integer(at: position + 32, byteCount: 2)
        guard position + length <= list.count else { throw .corrupt("its list of contents is damaged") }
        let nameStart = list.startIndex + position + 46
        let name = String(decoding: list[nameStart..<nameStart + nameLength], as: UTF8.self)
        let method = list.integer(at: position + 10, byteCount: 2)
        guard list.integer(at: position + 8, byteCount: 2) & 1 == 0 else {
            throw .unsupported("\"\(name.printable)\" is encrypted")
        }
        guard method == 0 || method == 8 else {
            throw .unsupported("\"\(name.printable)\" is compressed by method \(method); 0 and 8 (DEFLATE) are read")
        }
        var sizes = [24, 20, 42].map { list.integer(at: position + $0, byteCount: 4) }
        let extra = list[(nameStart + nameLength)..<(nameStart + nameLength + extraLength)]
        try replaceMarkers(in: &sizes, from: Data(extra), name)
        guard method == 8 || sizes[0] == sizes[1] else {
            throw .corrupt("\"\(name.printable)\" is stored, but with two sizes")
        }
        let entry = Entry(
            name: name, isDeflated: method == 8, compressedByteCount: sizes[1], byteCount: sizes[0],
            checksum: UInt32(list.integer(at: position + 16, byteCount: 4)), headerOffset: sizes[2])
        return (entry, length)
    }

    /// Replaces the sizes that do not fit 32 bits with those of the zip64 field.
    private static func replaceMarkers(in sizes: inout [Int], from extra: Data, _ name: String) throws(Damage) {
        guard sizes.contains(0xFFFF_FFFF) else { return }
        var position = 0
        while position + 4 <= extra.count {
            let count = extra.integer(at: position + 2, byteCount: 2)
            guard extra.integer(at: position, byteCount: 2) == 1 else {
                position += 4 + count
                continue
            }
            var next = position + 4
            let end = min(extra.count, next + count)
            for index in sizes.indices where sizes[index] == 0xFFFF_FFFF {
                guard next + 8 <= end else { break }
                sizes[index] = extra.integer(at: next, byteCount: 8)
                next += 8
            }
            break
        }
        guard sizes.allSatisfy({ $0 >= 0 && $0 <= Int.max >> 1 }), !sizes.contains(0xFFFF_FFFF) else {
            throw .corrupt("\"\(name.printable)\" has an impossible size")
        }
    }

    private static func read(_ source: ByteSource, at offset: Int, count: Int) throws(Damage) -> Data {
        guard offset >= 0 else { throw .corrupt("it points outside the file") }
        do throws(ApusError) { return try source.read(at: offset, count: count) } catch { throw .unreadable(error) }
    }
}

extension ZipArchive {
    /// The bytes of an entry, in order.
    ///
    /// Not safe for concurrent use.
    package final class Reader {
        private let entry: Entry
        private let source: ByteSource
        private let inflation: Inflation?
        private var position: Int
        private let end: Int
        private var compressed = Data()
        private var check = CyclicCheck()
        private var given = 0

        /// Starts at the entry's beginning.
        package init(_ archive: ZipArchive, _ entry: Entry) throws(Damage) {
            self.entry = entry
            source = archive.source
            position = try archive.dataOffset(of: entry)
            end = position + entry.compressedByteCount
            do {
                inflation = entry.isDeflated ? try Inflation(.none) : nil
            } catch {
                throw .corrupt("there is not enough memory to decompress it")
            }
        }

        /// The next `count` bytes.
        ///
        /// - Throws: ``Damage``, also when the entry ends earlier or its checksum differs from the archive's.
        package func read(_ count: Int) throws(Damage) -> Data {
            guard count >= 0, count <= entry.byteCount - given else {
                throw .corrupt("\"\(entry.name.printable)\" ends too early")
            }
            let data = if let inflation { try inflated(count, inflation) } else { try stored(count) }
            guard data.count == count else { throw .corrupt("\"\(entry.name.printable)\" is cut off") }
            given += count
            check.append(data)
            guard given < entry.byteCount || check.value == entry.checksum else {
                throw .corrupt("\"\(entry.name.printable)\" has another checksum than the archive says")
            }
            return data
        }

        private func stored(_ count: Int) throws(Damage) -> Data {
            defer { position += count }
            return try ZipArchive.read(source, at: position, count: count)
        }

        private func inflated(_ count: Int, _ inflation: Inflation) throws(Damage) -> Data {
            var result = Data()
            var block = Data(count: min(max(count, 1), 1 << 18))
            while result.count < count {
                if inflation.isFinished { break }
                if compressed.isEmpty {
                    compressed = try ZipArchive.read(source, at: position, count: min(1 << 18, end - position))
                    position += compressed.count
                }
                if block.count > count - result.count { block = Data(count: count - result.count) }
                do throws(Inflation.Failure) {
                    let used = try inflation.inflate(compressed, into: &block)
                    compressed = compressed.dropFirst(used.read)
                    result.append(block.prefix(used.written))
                    // Without input there may still be output.
                    if used == (0, 0) { break }
                } catch {
                    throw .corrupt("\"\(entry.name.printable)\" contradicts DEFLATE")
                }
            }
            return result
        }
    }
}

extension ZipArchive.Damage {
    /// The error for the archive at a path.
    package func error(_ path: String) -> ApusError {
        switch self {
        case .corrupt(let message): .file(path: path, message: "is damaged: \(message)")
        case .unsupported(let message): .file(path: path, message: "is not supported: \(message)")
        case .unreadable(let error): error
        }
    }
}

extension Data {
    /// The unsigned little-endian integer of `byteCount` bytes at an offset from the start; -1 when it does not fit
    /// `Int`.
    package func integer(at offset: Int, byteCount: Int) -> Int {
        var value: UInt64 = 0
        for index in (0..<byteCount).reversed() { value = value << 8 | UInt64(self[startIndex + offset + index]) }
        return Int(exactly: value) ?? -1
    }
}
