/// The damage of JPEG files that loses no pixel: bytes between segments, and an end marker that is missing although
/// all scans are there.
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
        guard extraneousCount > 0 || !hasEndMarker && hasAllScans else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(file.count + 2)
        var offset = 0
        for range in extraneous {
            bytes += file.buffer[offset..<range.lowerBound]
            offset = range.upperBound
        }
        bytes += file.buffer[offset...]
        var warnings: [String] = []
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
        var offset = max(0, header.scanOffset - 2)
        while let place = nextScan(from: offset) {
            guard let count = file.integer(at: place + 4, byteCount: 1),
                let first = file.integer(at: place + 5 + 2 * count, byteCount: 1),
                let last = file.integer(at: place + 6 + 2 * count, byteCount: 1),
                let bits = file.integer(at: place + 7 + 2 * count, byteCount: 1)
            else { return false }
            // The low half is the number of low bits that later scans bring.
            if bits & 0xF == 0, first <= last, last < 64 {
                for index in 0..<count {
                    guard let component = file.integer(at: place + 5 + 2 * index, byteCount: 1) else { return false }
                    missing[component]?.subtract(first...last)
                }
            }
            offset = place + 2
        }
        return missing.values.allSatisfy(\.isEmpty)
    }

    /// The offset of the next start of a scan. Within the data of scans, 0xFF is followed by 0 or a restart marker.
    private func nextScan(from start: Int) -> Int? {
        guard start < file.count else { return nil }
        var offset = start
        while offset + 1 < file.count {
            if file.buffer[offset] == 0xFF, file.buffer[offset + 1] == 0xDA { return offset }
            offset += 1
        }
        return nil
    }
}
