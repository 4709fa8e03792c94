/// What the boxes of a HEIF file say about its items.
///
/// Source: ISO/IEC 23008-12, sections 6 and 9; ISO/IEC 14496-12, section 8.11.
struct HEIFContents {
    /// A property of an item, by its index, and whether readers have to know it.
    struct Association {
        let index: Int
        let isEssential: Bool
    }

    /// Bytes of an item: in the file, or in the box of metadata.
    struct Extent {
        let isInside: Bool
        let offset: Int
        /// 0 stands for the rest.
        let length: Int
    }

    struct Reference {
        let type: String
        let from: Int
        let to: [Int]
    }

    /// The file, up to the end of its last whole box.
    let file: Bytes
    /// The box of metadata; nil where there is none.
    private(set) var meta: BoxWalk.Box?
    /// The primary item; nil where none is named.
    private(set) var primary: Int?
    /// What an item is, such as `av01`.
    private(set) var kinds: [Int: String] = [:]
    private(set) var properties: [BoxWalk.Box] = []
    private(set) var associations: [Int: [Association]] = [:]
    private(set) var extents: [Int: [Extent]] = [:]
    private(set) var references: [Reference] = []
    private var inside: Bytes?

    private static let maximumExtentCount = 1 << 20

    /// - Throws: ``ImageError`` when boxes are malformed.
    init(_ file: Bytes) throws(ImageError) {
        self.file = file
        guard let box = try BoxWalk.boxes(in: file).first(where: { $0.type == "meta" }), let meta = box.content.fullBox,
            let primary = try BoxWalk.content(of: "pitm", in: meta.content)?.fullBox,
            let identifier = primary.content.integer(at: 0, byteCount: primary.version == 0 ? 2 : 4)
        else { return }
        self.meta = box
        self.primary = identifier
        try readProperties(meta.content)
        try readKinds(meta.content)
        try readExtents(meta.content)
        try readReferences(meta.content)
    }

    /// Whether the colors of the primary item were multiplied by its transparency.
    var isPremultiplied: Bool {
        let clear = Set(references.filter { $0.type == "auxl" && $0.to.contains { $0 == primary } }.map(\.from))
        return references.contains { reference in
            reference.type == "prem" && reference.from == primary && reference.to.contains(where: clear.contains)
        }
    }

    /// The properties of an item, in its order.
    func properties(of item: Int) -> [BoxWalk.Box] {
        (associations[item] ?? []).compactMap {
            properties.indices.contains($0.index) ? properties[$0.index] : nil
        }
    }

    /// The first bytes of an item.
    func start(of item: Int, byteCount: Int) -> [UInt8] {
        var start: [UInt8] = []
        for extent in extents[item] ?? [] where start.count < byteCount {
            guard let source = extent.isInside ? inside : file else { continue }
            let available = max(0, source.count - extent.offset)
            let wanted = extent.length == 0 ? available : min(extent.length, available)
            start += source.slice(extent.offset, count: min(wanted, byteCount - start.count))?.copied ?? []
        }
        return start
    }

    /// Whether all bytes of all items lie in the file, as far as it says where.
    var isComplete: Bool {
        primary != nil && !extents.isEmpty
            && extents.values.allSatisfy { extents in
                extents.allSatisfy { extent in
                    extent.isInside || extent.length > 0 && extent.offset <= file.count - extent.length
                }
            }
    }

    private mutating func readProperties(_ meta: Bytes) throws(ImageError) {
        guard let box = try BoxWalk.content(of: "iprp", in: meta),
            let container = try BoxWalk.content(of: "ipco", in: box)
        else { return }
        properties = try BoxWalk.boxes(in: container)
        for box in try BoxWalk.boxes(in: box) where box.type == "ipma" {
            guard let (version, flags, content) = box.content.fullBox else { continue }
            let width = flags & 1 == 1 ? 2 : 1
            var reader = IntegerReader(content)
            guard let count = reader.next(4) else { continue }
            for _ in 0..<count {
                guard let item = reader.next(version < 1 ? 2 : 4), let count = reader.next(1) else { break }
                for _ in 0..<count {
                    guard let value = reader.next(width) else { break }
                    let mark = 1 << (8 * width - 1)
                    associations[item, default: []].append(
                        Association(index: value & (mark - 1) - 1, isEssential: value & mark != 0))
                }
            }
        }
    }

    private mutating func readKinds(_ meta: Bytes) throws(ImageError) {
        guard let (version, _, content) = try BoxWalk.content(of: "iinf", in: meta)?.fullBox,
            let entries = content.slice(version == 0 ? 2 : 4, count: content.count - (version == 0 ? 2 : 4))
        else { return }
        for box in try BoxWalk.boxes(in: entries) where box.type == "infe" {
            guard let (version, _, entry) = box.content.fullBox, version >= 2 else { continue }
            let width = version == 2 ? 2 : 4
            guard let item = entry.integer(at: 0, byteCount: width), let kind = entry.slice(width + 2, count: 4) else {
                continue
            }
            kinds[item] = String(decoding: kind.buffer, as: UTF8.self)
        }
    }

    private mutating func readExtents(_ meta: Bytes) throws(ImageError) {
        guard let places = try BoxWalk.content(of: "iloc", in: meta)?.fullBox else { return }
        inside = try BoxWalk.content(of: "idat", in: meta)
        var reader = IntegerReader(places.content)
        guard let widths = reader.next(2) else { return }
        let (offsetWidth, lengthWidth, baseWidth) = (widths >> 12, widths >> 8 & 15, widths >> 4 & 15)
        let indexWidth = places.version == 0 ? 0 : widths & 15
        guard let count = reader.next(places.version < 2 ? 2 : 4) else { return }
        var total = 0
        for _ in 0..<count {
            guard let item = reader.next(places.version < 2 ? 2 : 4),
                let method = places.version == 0 ? 0 : reader.next(2), reader.next(2) != nil,
                let base = reader.next(baseWidth), let extentCount = reader.next(2)
            else { return }
            // Extents without fields are all the same.
            for _ in 0..<(offsetWidth + lengthWidth + indexWidth == 0 ? min(extentCount, 1) : extentCount) {
                guard reader.next(indexWidth) != nil, let offset = reader.next(offsetWidth),
                    let length = reader.next(lengthWidth)
                else { return }
                // Items that are made of other items have a method of their own.
                guard method & 15 < 2 else { continue }
                total += 1
                guard total <= Self.maximumExtentCount else {
                    throw .unsupported("HEIC or AVIF whose items lie in more than \(Self.maximumExtentCount) places")
                }
                let (place, overflow) = base.addingReportingOverflow(offset)
                extents[item, default: []].append(
                    Extent(isInside: method & 15 == 1, offset: overflow ? .max : place, length: length))
            }
        }
    }

    private mutating func readReferences(_ meta: Bytes) throws(ImageError) {
        guard let (version, _, content) = try BoxWalk.content(of: "iref", in: meta)?.fullBox else { return }
        let width = version == 0 ? 2 : 4
        for box in try BoxWalk.boxes(in: content) {
            var reader = IntegerReader(box.content)
            guard let from = reader.next(width), let count = reader.next(2) else { continue }
            var to: [Int] = []
            for _ in 0..<count {
                guard let other = reader.next(width) else { break }
                to.append(other)
            }
            references.append(Reference(type: box.type, from: from, to: to))
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
