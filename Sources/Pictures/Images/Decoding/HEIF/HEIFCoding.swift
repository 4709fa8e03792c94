/// How the primary picture of a file is coded, where it is a picture of AV1 or a grid of such: what its samples stand
/// for, and what is done with its pixels.
///
/// So are pictures of HEVC whose samples are green, blue and red in limited range, which old versions of the library
/// narrow once more.
struct HEIFCoding {
    let colors: SampleColors
    /// Whether samples are of brightness alone.
    let isGrey: Bool
    /// Whether two columns, or two rows, share samples of color.
    let sharesColumns: Bool
    let sharesRows: Bool
    let isPremultiplied: Bool
    /// What is done with the decoded pixels, in this order.
    let changes: [HEIFChange]
    /// The file, whose boxes ask for the samples as they are coded.
    let file: [UInt8]
    /// Whether the library takes these samples for green, blue and red.
    let isTakenForColors: Bool

    /// Nil for other pictures, and for matrices with which colors are not linear in the samples.
    ///
    /// - Parameter isTakenForColors: Whether the library converts all pictures to red, green and blue.
    init?(_ contents: HEIFContents, isTakenForColors: Bool) {
        guard let primary = contents.primary else { return nil }
        var items = [primary]
        if contents.kinds[primary] == "grid" {
            items = contents.references.filter { $0.type == "dimg" && $0.from == primary }.flatMap(\.to)
        }
        guard let first = items.first, let kind = contents.kinds[first],
            items.allSatisfy({ contents.kinds[$0] == kind })
        else { return nil }
        let header: AV1SequenceHeader?
        switch kind {
        case "av01":
            let stream = contents.start(of: first, byteCount: AV1SequenceHeader.searchedByteCount)
            header = stream.withUnsafeBytes { AV1SequenceHeader(Bytes($0)) }
        case "hvc1":
            // Without shared samples. Source: ISO/IEC 14496-15, section 8.3.2.1.
            let configuration = contents.properties(of: first).first { $0.type == "hvcC" }
            header = (configuration?.content.byte(16) ?? 0) & 3 == 3 ? AV1SequenceHeader() : nil
        default: header = nil
        }
        guard let header else { return nil }
        // Tiles of an odd extent would begin within shared samples.
        if items.count > 1 {
            let sizes = contents.properties(of: first).compactMap { $0.type == "ispe" ? $0.declaredSize : nil }
            guard let size = sizes.last, !header.sharesColumns || size.width % 2 == 0,
                !header.sharesRows || size.height % 2 == 0
            else { return nil }
        }
        // What the file says precedes what the stream says.
        let profile = [primary, first].lazy.flatMap { contents.properties(of: $0) }
            .first { $0.type == "colr" && $0.content.starts(with: "nclx") }
        var (matrix, isFullRange) = (header.matrix, header.isFullRange)
        if let profile {
            guard let declared = profile.content.integer(at: 8, byteCount: 2), let range = profile.content.byte(10)
            else { return nil }
            (matrix, isFullRange) = (declared, range & 0x80 != 0)
        }
        if kind == "hvc1", matrix != 0 || isFullRange { return nil }
        (isGrey, sharesColumns, sharesRows) = (header.isGrey, header.sharesColumns, header.sharesRows)
        if matrix == 0, !isGrey, sharesColumns { return nil }
        guard let colors = SampleColors(matrix: isGrey ? 1 : matrix, isFullRange: isFullRange) else { return nil }
        self.colors = colors
        isPremultiplied = contents.isPremultiplied
        var changes: [HEIFChange] = []
        for property in contents.properties(of: primary) where HEIFChange.kinds.contains(property.type) {
            guard let change = HEIFChange(property) else { return nil }
            changes.append(change)
        }
        self.changes = changes
        guard let file = contents.askingForSamples(of: items, matrix: isTakenForColors ? 0 : 6) else { return nil }
        self.file = file
        self.isTakenForColors = isTakenForColors
    }
}

/// A turn, a mirroring or a cut of a picture, as a property of an item says it.
enum HEIFChange {
    case orientation(Orientation)
    /// The width and height that stay, and how far their center lies from that of the picture, as fractions.
    case cut(width: Fraction, height: Fraction, right: Fraction, down: Fraction)

    struct Fraction {
        let numerator: Int
        let denominator: Int
    }

    static let kinds: Set = ["irot", "imir", "clap"]

    /// Source: ISO/IEC 23008-12, sections 6.5.10 and 6.5.12; ISO/IEC 14496-12, section 12.1.4.
    init?(_ property: BoxWalk.Box) {
        switch property.type {
        case "irot":
            guard let turns = property.content.byte(0) else { return nil }
            let orientations: [Orientation] = [.upright, .turnedRight, .upsideDown, .turnedLeft]
            self = .orientation(orientations[Int(turns & 3)])
        case "imir":
            guard let axis = property.content.byte(0) else { return nil }
            self = .orientation(axis & 1 == 1 ? .mirrored : .flipped)
        default:
            var fractions: [Fraction] = []
            for index in 0..<4 {
                guard let bits = property.content.integer(at: index * 8, byteCount: 4),
                    let denominator = property.content.integer(at: index * 8 + 4, byteCount: 4)
                else { return nil }
                let numerator = index < 2 ? bits : Int(Int32(truncatingIfNeeded: bits))
                // Their products stay small.
                guard denominator > 0, denominator <= 1 << 16, abs(numerator) <= 1 << 24 else { return nil }
                fractions.append(Fraction(numerator: numerator, denominator: denominator))
            }
            self = .cut(width: fractions[0], height: fractions[1], right: fractions[2], down: fractions[3])
        }
    }

    func applied(to image: Image) throws(ImageError) -> Image {
        switch self {
        case .orientation(let orientation): return image.oriented(orientation)
        case .cut(let width, let height, let right, let down):
            let columns = Self.range(of: width, image.width, right, rounding: 0)
            let rows = Self.range(of: height, image.height, down, rounding: 1)
            guard !columns.isEmpty, !rows.isEmpty else { throw .corrupt("the clean aperture is empty") }
            return image.cut(columns, rows)
        }
    }

    /// The columns or rows that stay, rounded as libheif does.
    ///
    /// - Parameter rounding: What is added to halves before the fraction of the first is cut off.
    private static func range(of length: Fraction, _ extent: Int, _ shift: Fraction, rounding: Int) -> Range<Int> {
        // first = shift + (extent − length) / 2
        let denominator = 2 * shift.denominator * length.denominator
        let numerator =
            2 * shift.numerator * length.denominator
            + (extent * length.denominator - length.numerator) * shift.denominator
        let first = (numerator + rounding * denominator / 2) / denominator
        let last = ((length.numerator + (first - 1) * length.denominator) + length.denominator / 2) / length.denominator
        let start = max(0, first)
        return start..<max(start, min(last + 1, extent))
    }
}

extension Image {
    /// These columns and rows of the image.
    fileprivate func cut(_ columns: Range<Int>, _ rows: Range<Int>) -> Image {
        Image(ImageSize(width: columns.count, height: rows.count)) { target in
            pixels.withUnsafeBufferPointer { source in
                for (index, row) in rows.enumerated() {
                    let start = (row * width + columns.lowerBound) * 3
                    let part = UnsafeBufferPointer(rebasing: source[start..<start + columns.count * 3])
                    let place = index * columns.count * 3
                    _ = target[place..<place + columns.count * 3].update(fromContentsOf: part)
                }
            }
        }
    }
}
