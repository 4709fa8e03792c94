/// The properties of a JPEG file that precede its first scan.
///
/// Source: ITU-T T.81, annex B.
struct JPEGHeader {
    let size: ImageSize
    let componentCount: Int
    /// Whether the file is progressive: its decoder keeps the coefficients of the whole picture until the last scan.
    let isProgressive: Bool
    let orientation: Orientation
    /// The offset behind the marker of the first scan.
    let scanOffset: Int
    /// The identifiers of the components.
    let components: [Int]
    /// Bytes between segments that belong to none, in order.
    let extraneousBytes: [Range<Int>]
    /// The bytes before the first scan that are taken for others.
    let misstatements: [JPEGMisstatement]
    /// The places of the parts of the ICC profile, by their numbers.
    private let profileParts: [Int: Range<Int>]

    init(_ file: Bytes) throws(ImageError) {
        var frame: (size: ImageSize, components: [Int])?
        var extraneousBytes: [Range<Int>] = []
        var profileParts: [Int: Range<Int>] = [:]
        var revisions: [JPEGMisstatement] = []
        var (hasJFIF, transforms) = (false, [Int]())
        var isProgressive = false
        var (exif, xmp) = ([UInt8](), Bytes?.none)
        var offset = 2
        while true {
            let end = offset
            let marker = try Self.nextMarker(file, &offset)
            if let range = Self.extraneous(file, end..<offset) { extraneousBytes.append(range) }
            if marker == Marker.startOfScan || marker == Marker.endOfImage { break }
            if Marker.standalone.contains(marker) { continue }
            if marker == Marker.losslessFrame { throw .unsupported("JPEG-LS") }
            guard let length = file.integer(at: offset, byteCount: 2) else { throw Self.cutOff }
            guard length >= 2 else { throw .corrupt("a segment declares a length of \(length)") }
            guard let segment = file.slice(offset + 2, count: length - 2) else { throw Self.cutOff }
            if Marker.frames.contains(marker), !Marker.notFrames.contains(marker) {
                guard frame == nil else { throw .corrupt("a second frame header") }
                frame = try Self.frame(segment, marker)
                isProgressive = Marker.progressiveFrames.contains(marker)
            } else if marker == Marker.application1, segment.starts(with: "Exif\0\0") {
                // What follows the first segment belongs to the same block.
                exif += segment.buffer[(exif.isEmpty ? 0 : 6)...]
            } else if marker == Marker.application1, segment.starts(with: "http://ns.adobe.com/xap/1.0/\0") {
                xmp = segment
            } else if marker == Marker.application0, segment.count >= 14, segment.starts(with: "JFIF\0") {
                hasJFIF = true
                if let revision = JPEGMisstatement(revision: file, at: offset + 2) { revisions.append(revision) }
            } else if marker == Marker.application14, segment.count >= 12, segment.starts(with: "Adobe") {
                transforms.append(offset + 2)
            } else if marker == Marker.application2, segment.starts(with: "ICC_PROFILE\0"), segment.count > 14,
                let number = segment.integer(at: 12, byteCount: 1)
            {
                profileParts[number] = offset + 16..<offset + length
            }
            offset += length
        }
        guard let frame else { throw .corrupt("no frame header before the first scan") }
        size = frame.size
        components = frame.components
        componentCount = frame.components.count
        self.isProgressive = isProgressive
        orientation = exif.withUnsafeBytes { Orientation(exif: $0.isEmpty ? nil : Bytes($0), xmp: xmp) }
        scanOffset = offset
        let count = frame.components.count
        // JFIF says what three components are.
        let isAsked = count == 4 || count == 3 && !hasJFIF
        misstatements =
            revisions
            + (isAsked ? transforms : []).compactMap {
                JPEGMisstatement(transform: file, at: $0, componentCount: count)
            }
        self.extraneousBytes = extraneousBytes
        self.profileParts = profileParts
    }

    /// The ICC profile, whose parts are numbered from 1.
    func colorProfile(_ file: Bytes) -> [UInt8]? {
        guard !profileParts.isEmpty else { return nil }
        return profileParts.sorted { $0.key < $1.key }.flatMap { file.buffer[$0.value] }
    }

    /// The bytes between two segments, without the 0xFF and the code of the marker that ends the range.
    private static func extraneous(_ file: Bytes, _ range: Range<Int>) -> Range<Int>? {
        // Fill bytes, 0xFF, may precede a marker.
        let last = file.buffer[range].dropLast().lastIndex { $0 != 0xFF }
        guard let last else { return nil }
        return range.lowerBound..<last + 1
    }

    /// The maximum bytes for each pixel while decoding: red, green and blue; inks before their conversion; and
    /// coefficients of 16 bits.
    var decodingBytesPerPixel: Int {
        3 + (componentCount == 4 ? 4 : 0) + (isProgressive ? 2 * componentCount : 0)
    }

    private enum Marker {
        static let frames = 0xC0...0xCF
        /// DHT, JPG and DAC, whose numbers lie among those of frame markers.
        static let notFrames: Set = [0xC4, 0xC8, 0xCC]
        static let progressiveFrames: Set = [0xC2, 0xCA]
        /// Frames of lossless and hierarchical processes.
        static let undecodedFrames: Set = [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF]
        /// TEM, RST0-RST7 and SOI, which have no length.
        static let standalone: Set = Set([0x01] + Array(0xD0...0xD8))
        static let endOfImage = 0xD9
        /// The frame header of JPEG-LS (ITU-T T.87).
        static let losslessFrame = 0xF7
        static let startOfScan = 0xDA
        static let application0 = 0xE0
        static let application1 = 0xE1
        static let application2 = 0xE2
        static let application14 = 0xEE
    }

    private static let cutOff = ImageError.truncated("the file ends before its first scan")

    /// Moves `offset` past the next marker. Fill bytes and, as in libjpeg, any other bytes before it are skipped.
    private static func nextMarker(_ file: Bytes, _ offset: inout Int) throws(ImageError) -> Int {
        while let byte = file.byte(offset) {
            offset += 1
            if byte != 0xFF { continue }
            while file.byte(offset) == 0xFF { offset += 1 }
            guard let code = file.byte(offset) else { break }
            offset += 1
            if code != 0 { return Int(code) }
        }
        throw cutOff
    }

    private static func frame(_ segment: Bytes, _ marker: Int) throws(ImageError) -> (ImageSize, [Int]) {
        guard let precision = segment.integer(at: 0, byteCount: 1),
            let height = segment.integer(at: 1, byteCount: 2),
            let width = segment.integer(at: 3, byteCount: 2),
            let componentCount = segment.integer(at: 5, byteCount: 1)
        else { throw .corrupt("the frame header is too short") }
        if Marker.undecodedFrames.contains(marker) { throw .unsupported("lossless or hierarchical JPEG") }
        guard precision == 8 else { throw .unsupported("JPEG with \(precision) bits per sample") }
        guard [1, 3, 4].contains(componentCount) else { throw .unsupported("JPEG with \(componentCount) components") }
        guard width > 0 else { throw .corrupt("the frame header declares no columns") }
        guard height > 0 else { throw .unsupported("JPEG that declares its height after the first scan") }
        let components = (0..<componentCount).compactMap { segment.integer(at: 6 + 3 * $0, byteCount: 1) }
        guard components.count == componentCount else { throw .corrupt("the frame header is too short") }
        return (ImageSize(width: width, height: height), components)
    }
}
