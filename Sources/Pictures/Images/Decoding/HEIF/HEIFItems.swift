/// The pictures from which the primary picture of a HEIF file is made, as its boxes declare them: itself, tiles of a
/// grid, parts of an overlay, and transparency.
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

    /// - Throws: ``ImageError`` when decoding would take unreasonable work.
    init(_ contents: HEIFContents) throws(ImageError) {
        guard let primary = contents.primary else { return }
        readSizes(contents)
        readCanvases(contents)
        readParts(contents)
        let work = try work(of: primary, depth: 0)
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
    private mutating func readSizes(_ contents: HEIFContents) {
        let extents = contents.properties.map { $0.type == "ispe" ? $0.declaredSize : nil }
        for (item, associations) in contents.associations {
            for association in associations where extents.indices.contains(association.index) {
                if let size = extents[association.index] { sizes[item, default: []].append(size) }
            }
        }
    }

    /// Reads the extents that grids and overlays declare in their data.
    private mutating func readCanvases(_ contents: HEIFContents) {
        for (item, kind) in contents.kinds where kind == "grid" || kind == "iovl" {
            if let canvas = Self.canvas(kind, contents.start(of: item, byteCount: Self.canvasByteCount)) {
                sizes[item, default: []].append(canvas)
            }
        }
    }

    /// The bytes up to the extents of an overlay, and with them.
    private static let canvasByteCount = 18

    private static func canvas(_ kind: String, _ start: [UInt8]) -> ImageSize? {
        guard start.count > 1 else { return nil }
        // Version, flags, and the rows and columns of tiles, or a color.
        let offset = kind == "grid" ? 4 : 10
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
    private mutating func readParts(_ contents: HEIFContents) {
        for reference in contents.references {
            // A picture of transparency names the picture to which it belongs.
            switch reference.type {
            case "dimg": parts[reference.from, default: []] += reference.to
            case "auxl": for other in reference.to { parts[other, default: []].append(reference.from) }
            default: break
            }
        }
    }
}

extension BoxWalk.Box {
    /// The size that the property `ispe` declares.
    var declaredSize: ImageSize? {
        guard let width = content.integer(at: 4, byteCount: 4), let height = content.integer(at: 8, byteCount: 4) else {
            return nil
        }
        return ImageSize(width: width, height: height)
    }
}
