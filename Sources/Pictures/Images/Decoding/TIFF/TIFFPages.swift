/// The directories of a TIFF file that are pages, found without libtiff and without reading pixels.
///
/// Source: TIFF 6.0, section 2; https://libtiff.gitlab.io/libtiff/specification/bigtiff.html
package struct TIFFPages {
    /// The indices of the directories. Reduced copies and masks of other pages are left out.
    package private(set) var directories: [Int] = []
    /// The offsets of these directories.
    private(set) var offsets: [Int] = []
    /// The indices of the directories whose pixels are indices of a palette.
    private(set) var withPalette: Set<Int> = []

    /// The kind of a directory, with the bits of a reduced copy and of a mask.
    private static let kindTag = 254
    /// What pixels stand for; 3 are indices.
    private static let colorsTag = 262
    private static let maximumCount = 65_535
    /// The maximum number of entries of all directories, which may overlap.
    private static let maximumEntryCount = 1 << 20

    /// - Parameter read: Reads as many bytes as asked for at an offset; nil outside the file.
    package init(_ read: (_ offset: Int, _ count: Int) -> [UInt8]?) {
        guard let start = read(0, 4), let layout = Layout(start) else { return }
        func integer(_ offset: Int, _ count: Int) -> Int? {
            guard offset >= 0, let bytes = read(offset, count) else { return nil }
            return layout.integer(bytes[...])
        }
        var index = 0
        var entryCount = 0
        var visited: Set<Int> = []
        var next = integer(layout.isBig ? 8 : 4, layout.offsetByteCount)
        while let directory = next, directory > 0, visited.insert(directory).inserted, index < Self.maximumCount {
            guard let count = integer(directory, layout.countByteCount), count <= Self.maximumEntryCount - entryCount,
                let entries = read(directory + layout.countByteCount, count * layout.entryByteCount)
            else { return }
            if (layout.value(of: Self.kindTag, in: entries, byteCount: 4) ?? 0) & 0b101 == 0 {
                directories.append(index)
                offsets.append(directory)
            }
            if layout.value(of: Self.colorsTag, in: entries, byteCount: 2) == 3 { withPalette.insert(index) }
            index += 1
            entryCount += count
            next = integer(
                directory + layout.countByteCount + count * layout.entryByteCount, layout.offsetByteCount)
        }
    }

    /// The order and widths of a file's numbers.
    private struct Layout {
        let isBigEndian: Bool
        let isBig: Bool

        var offsetByteCount: Int { isBig ? 8 : 4 }
        var countByteCount: Int { isBig ? 8 : 2 }
        var entryByteCount: Int { isBig ? 20 : 12 }

        init?(_ start: [UInt8]) {
            guard start == [0x49, 0x49, start[2], 0] || start == [0x4D, 0x4D, 0, start[3]] else { return nil }
            isBigEndian = start[0] == 0x4D
            let version = isBigEndian ? start[3] : start[2]
            guard version == 42 || version == 43 else { return nil }
            isBig = version == 43
        }

        /// The number in these bytes; nil when it has more than 62 bits.
        func integer(_ bytes: ArraySlice<UInt8>) -> Int? {
            let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
            var value = 0
            for byte in ordered {
                guard value < 1 << 54 else { return nil }
                value = value << 8 | Int(byte)
            }
            return value
        }

        /// The first bytes of the value of a tag; nil when the directory does not have it.
        func value(of tag: Int, in entries: [UInt8], byteCount: Int) -> Int? {
            for start in stride(from: 0, to: entries.count, by: entryByteCount)
            where integer(entries[start..<start + 2]) == tag {
                let value = start + entryByteCount - offsetByteCount
                return integer(entries[value..<value + byteCount])
            }
            return nil
        }
    }
}

extension TIFFPages {
    /// The pages of a file in memory.
    init(_ file: Bytes) { self.init { offset, count in file.slice(offset, count: count)?.copied } }
}
