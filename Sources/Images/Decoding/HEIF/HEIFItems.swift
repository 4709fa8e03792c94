/// The pictures from which the primary picture of a HEIF file is made, as its boxes declare them: itself, tiles of a
/// grid, parts of an overlay, and transparency.
///
/// Source: ISO/IEC 23008-12, sections 6 and 9; ISO/IEC 14496-12, section 8.11.
struct HEIFItems {
    /// The largest of these pictures; nil when no size is declared.
    private(set) var largest: ImageSize?

    private var sizes: [Int: [ImageSize]] = [:]
    private var parts: [Int: [Int]] = [:]
    private var works: [Int: Work] = [:]

    /// What decoding an item takes.
    private struct Work {
        var itemCount: Int
        var pixelCount: Int
    }

    private static let maximumItemCount = 4096
    private static let maximumPixelCount = 1 << 28
    /// The maximum number of pictures each of which is made of the next.
    private static let maximumDepth = 8

    /// - Throws: ``ImageError`` when boxes are malformed, or when decoding would take unreasonable work.
    init(_ file: Bytes) throws(ImageError) {
        guard let meta = try BoxWalk.content(of: "meta", in: file)?.fullBox,
            let primary = try BoxWalk.content(of: "pitm", in: meta.content)?.fullBox,
            let identifier = primary.content.integer(at: 0, byteCount: primary.version == 0 ? 2 : 4)
        else { return }
        try readSizes(meta.content)
        try readCanvases(meta.content, file)
        try readReferences(meta.content)
        let work = try work(of: identifier, depth: 0)
        guard work.itemCount <= Self.maximumItemCount else {
            throw .unsupported("HEIC or AVIF of more than \(Self.maximumItemCount) parts")
        }
        guard work.pixelCount <= Self.maximumPixelCount else {
            throw .unsupported("HEIC or AVIF whose parts have more than \(Self.maximumPixelCount) pixels together")
        }
    }

    private mutating func work(of item: Int, depth: Int) throws(ImageError) -> Work {
        if let known = works[item] { return known }
        guard depth <= Self.maximumDepth else {
            throw .unsupported(
                "HEIC or AVIF of pictures that are made of more than \(Self.maximumDepth) others in turn")
        }
        var work = Work(itemCount: 1, pixelCount: 0)
        for size in sizes[item] ?? [] {
            let count = size.pixelCount ?? .max
            if count > largest?.pixelCount ?? 0 { largest = size }
            work.pixelCount = max(work.pixelCount, min(count, 1 << 40))
        }
        for part in parts[item] ?? [] {
            let more = try self.work(of: part, depth: depth + 1)
            // Sums are cut, so that they stay small.
            work.itemCount = min(work.itemCount + more.itemCount, 1 << 40)
            work.pixelCount = min(work.pixelCount + more.pixelCount, 1 << 40)
        }
        works[item] = work
        return work
    }

    /// Reads the extents of all items, which are properties that items share.
    private mutating func readSizes(_ meta: Bytes) throws(ImageError) {
        guard let properties = try BoxWalk.content(of: "iprp", in: meta),
            let container = try BoxWalk.content(of: "ipco", in: properties)
        else { return }
        var extents: [ImageSize?] = []
        for box in try BoxWalk.boxes(in: container) {
            guard box.type == "ispe", let width = box.content.integer(at: 4, byteCount: 4),
                let height = box.content.integer(at: 8, byteCount: 4)
            else {
                extents.append(nil)
                continue
            }
            extents.append(ImageSize(width: width, height: height))
        }
        for box in try BoxWalk.boxes(in: properties) where box.type == "ipma" {
            guard let (version, flags, content) = box.content.fullBox else { continue }
            let width = flags & 1 == 1 ? 2 : 1
            var reader = IntegerReader(content)
            guard let count = reader.next(4) else { continue }
            for _ in 0..<count {
                guard let item = reader.next(version < 1 ? 2 : 4), let associations = reader.next(1) else { break }
                for _ in 0..<associations {
                    guard let value = reader.next(width) else { break }
                    // The highest bit says that the property is essential.
                    let index = value & (1 << (8 * width - 1) - 1) - 1
                    if extents.indices.contains(index), let size = extents[index] {
                        sizes[item, default: []].append(size)
                    }
                }
            }
        }
    }

    /// Reads the extents that grids and overlays declare in their data.
    private mutating func readCanvases(_ meta: Bytes, _ file: Bytes) throws(ImageError) {
        var derived: [Int: String] = [:]
        if let (version, _, content) = try BoxWalk.content(of: "iinf", in: meta)?.fullBox,
            let entries = content.slice(version == 0 ? 2 : 4, count: content.count - (version == 0 ? 2 : 4))
        {
            for box in try BoxWalk.boxes(in: entries) where box.type == "infe" {
                guard let (version, _, entry) = box.content.fullBox, version >= 2 else { continue }
                let width = version == 2 ? 2 : 4
                guard let item = entry.integer(at: 0, byteCount: width),
                    let type = entry.slice(width + 2, count: 4).map({ String(decoding: $0.buffer, as: UTF8.self) })
                else { continue }
                if type == "grid" || type == "iovl" { derived[item] = type }
            }
        }
        guard !derived.isEmpty, let places = try BoxWalk.content(of: "iloc", in: meta)?.fullBox else { return }
        let inside = try BoxWalk.content(of: "idat", in: meta)
        var reader = IntegerReader(places.content)
        guard let widths = reader.next(2) else { return }
        let (offsetWidth, lengthWidth, baseWidth) = (widths >> 12, widths >> 8 & 15, widths >> 4 & 15)
        let indexWidth = places.version == 0 ? 0 : widths & 15
        guard let count = reader.next(places.version < 2 ? 2 : 4) else { return }
        for _ in 0..<count {
            guard let item = reader.next(places.version < 2 ? 2 : 4),
                let method = places.version == 0 ? 0 : reader.next(2), reader.next(2) != nil,
                let base = reader.next(baseWidth), let extentCount = reader.next(2)
            else { return }
            var start: [UInt8] = []
            for _ in 0..<extentCount {
                guard reader.next(indexWidth) != nil, let offset = reader.next(offsetWidth),
                    let length = reader.next(lengthWidth)
                else { return }
                guard derived[item] != nil, start.count < Self.canvasByteCount,
                    let source = method & 15 == 1 ? inside : file
                else { continue }
                let (place, overflow) = base.addingReportingOverflow(offset)
                let available = overflow || place > source.count ? 0 : source.count - place
                // 0 stands for the rest of the file.
                let wanted = min(length == 0 ? available : length, available, Self.canvasByteCount - start.count)
                start += source.slice(place, count: wanted)?.copied ?? []
            }
            if let type = derived[item], let canvas = Self.canvas(type, start) {
                sizes[item, default: []].append(canvas)
            }
        }
    }

    /// The bytes up to the extents of an overlay, and with them.
    private static let canvasByteCount = 18

    private static func canvas(_ type: String, _ start: [UInt8]) -> ImageSize? {
        guard start.count > 1 else { return nil }
        // Version, flags, and the rows and columns of tiles, or a color.
        let offset = type == "grid" ? 4 : 10
        let width = start[1] & 1 == 1 ? 4 : 2
        return start.withUnsafeBytes { buffer in
            let bytes = Bytes(buffer)
            guard let columns = bytes.integer(at: offset, byteCount: width),
                let rows = bytes.integer(at: offset + width, byteCount: width)
            else { return nil }
            return ImageSize(width: columns, height: rows)
        }
    }

    /// Reads which pictures an item is made of, as often as it names them.
    private mutating func readReferences(_ meta: Bytes) throws(ImageError) {
        guard let (version, _, content) = try BoxWalk.content(of: "iref", in: meta)?.fullBox else { return }
        let width = version == 0 ? 2 : 4
        for box in try BoxWalk.boxes(in: content) {
            var reader = IntegerReader(box.content)
            guard box.type == "dimg" || box.type == "auxl", let from = reader.next(width), let count = reader.next(2)
            else { continue }
            for _ in 0..<count {
                guard let other = reader.next(width) else { break }
                // A picture of transparency names the picture to which it belongs.
                if box.type == "dimg" {
                    parts[from, default: []].append(other)
                } else {
                    parts[other, default: []].append(from)
                }
            }
        }
    }
}

/// Integers that follow one another.
private struct IntegerReader {
    private let bytes: Bytes
    private var offset = 0

    init(_ bytes: Bytes) { self.bytes = bytes }

    /// The next integer of this many bytes: 0 for no bytes; nil where the file ends first or it has more than 62 bits.
    mutating func next(_ byteCount: Int) -> Int? {
        defer { offset += byteCount }
        guard byteCount == 8 else { return bytes.integer(at: offset, byteCount: byteCount) }
        guard let high = bytes.integer(at: offset, byteCount: 1), high < 0x40,
            let low = bytes.integer(at: offset + 1, byteCount: 7)
        else { return nil }
        return high << 56 | low
    }
}

extension Bytes {
    /// The version, the flags and the content of a box that has them.
    fileprivate var fullBox: (version: Int, flags: Int, content: Bytes)? {
        guard let head = integer(at: 0, byteCount: 4), let content = slice(4, count: count - 4) else { return nil }
        return (head >> 24, head & 0xFF_FFFF, content)
    }
}
