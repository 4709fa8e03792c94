/// The damage of JPEG files that loses no pixel: bytes between segments, fields that libjpeg takes for others, and an
/// end marker that is missing although all scans are there.
struct JPEGDamage {
    static let noEndMarker = "it ends before its end marker"
    /// The maximum bytes before the end marker that are passed over in silence: some cameras write them.
    static let harmlessPadding = 16

    private let file: Bytes
    private let header: JPEGHeader
    private let hasEndMarker: Bool

    init(_ file: Bytes, _ header: JPEGHeader) {
        self.file = file
        self.header = header
        let scans = file.buffer.dropFirst(header.scanOffset)
        hasEndMarker = zip(scans, scans.dropFirst()).contains { $0 == (0xFF, 0xD9) }
    }

    /// A copy of the file without what is damaged, and what that is; nil when there is nothing to repair.
    ///
    /// The copy decodes without a warning exactly if it holds all data of the scans it has.
    func repaired() -> (file: [UInt8], warning: String)? {
        let extraneous = header.extraneousBytes
        let extraneousCount = extraneous.reduce(0) { $0 + $1.count }
        let misstatements = misstatements
        guard extraneousCount > 0 || !misstatements.isEmpty || !hasEndMarker && hasAllScans else { return nil }
        var stated = file.copied
        for misstatement in misstatements { stated[misstatement.offset] = misstatement.meaning }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(file.count + 2)
        var offset = 0
        for range in extraneous {
            bytes += stated[offset..<range.lowerBound]
            offset = range.upperBound
        }
        bytes += stated[offset...]
        var warnings: [String] = []
        for misstatement in misstatements where !warnings.contains(misstatement.warning) {
            warnings.append(misstatement.warning)
        }
        if extraneousCount > 0 { warnings.append("\(extraneousCount) extraneous bytes between segments") }
        if !hasEndMarker {
            guard hasAllScans else { return nil }
            if bytes.last == 0xFF { bytes.removeLast() }
            bytes += [0xFF, 0xD9]
            warnings.append("the end marker is missing")
        }
        return (bytes, warnings.joined(separator: "; "))
    }

    /// The error of a file that was not decoded: without an end marker, it is cut off.
    func named(_ error: ImageError) -> ImageError {
        if case .corrupt = error, !hasEndMarker { return .truncated(Self.noEndMarker) }
        return error
    }

    /// Whether the scans bring every coefficient of every component in full precision. A file that ends between two
    /// scans of a progressive picture decodes to a coarse one.
    ///
    /// Source: ITU-T T.81, sections B.2.3 and G.1.1.1.
    private var hasAllScans: Bool {
        var missing: [Int: Set<Int>] = [:]
        for component in header.components { missing[component] = Set(0..<64) }
        for place in scanOffsets {
            guard let count = file.integer(at: place + 4, byteCount: 1),
                var first = file.integer(at: place + 5 + 2 * count, byteCount: 1),
                var last = file.integer(at: place + 6 + 2 * count, byteCount: 1),
                var bits = file.integer(at: place + 7 + 2 * count, byteCount: 1)
            else { return false }
            if !header.isProgressive { (first, last, bits) = (0, 63, 0) }
            // The low half is the number of low bits that later scans bring.
            if bits & 0xF == 0, first <= last, last < 64 {
                for index in 0..<count {
                    guard let component = file.integer(at: place + 5 + 2 * index, byteCount: 1) else { return false }
                    missing[component]?.subtract(first...last)
                }
            }
        }
        return missing.values.allSatisfy(\.isEmpty)
    }

    /// The bytes that are taken for others: those of the header, and parameters of scans.
    private var misstatements: [JPEGMisstatement] {
        guard !header.isProgressive else { return header.misstatements }
        return header.misstatements + scanOffsets.flatMap { JPEGMisstatement.parameters(file, scanAt: $0) }
    }

    /// The offsets of the markers of all scans. Within the data of a scan, 0xFF is followed by 0 or a restart marker.
    private var scanOffsets: [Int] {
        var offsets: [Int] = []
        var offset = max(0, header.scanOffset - 2)
        while offset + 1 < file.count {
            guard file.buffer[offset] == 0xFF else {
                offset += 1
                continue
            }
            switch file.buffer[offset + 1] {
            case 0xDA: offsets.append(offset)
            case 0xD9: return offsets
            // A fill byte.
            case 0xFF:
                offset += 1
                continue
            case 0x00, 0x01, 0xD0...0xD8:
                offset += 2
                continue
            default: break
            }
            guard let length = file.integer(at: offset + 2, byteCount: 2) else { return offsets }
            offset += 2 + length
        }
        return offsets
    }
}
