/// The orientation of stored pixels: the values of EXIF tag 0x0112.
enum Orientation: Int {
    case upright = 1
    case mirrored, upsideDown, flipped, transposed, turnedLeft, transversed, turnedRight

    /// Whether stored rows are columns of the upright picture.
    var swapsAxes: Bool { rawValue >= 5 }

    /// Reads the orientation from a TIFF structure, as EXIF embeds it; nil when the tag is absent. A value that is no
    /// orientation stands for upright pixels, as in Pillow.
    ///
    /// Source: TIFF 6.0, section 2; EXIF 2.3, tag 274.
    init?(tiff bytes: Bytes) {
        let bigEndian: Bool
        if bytes.starts(with: [0x49, 0x49, 0x2A, 0x00]) {
            bigEndian = false
        } else if bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
            bigEndian = true
        } else {
            return nil
        }
        func integer(_ offset: Int, _ byteCount: Int) -> Int? {
            bytes.integer(at: offset, byteCount: byteCount, bigEndian: bigEndian)
        }
        guard let directory = integer(4, 4), let entryCount = integer(directory, 2) else { return nil }
        for entry in 0..<entryCount {
            let offset = directory + 2 + entry * 12
            guard let tag = integer(offset, 2), let type = integer(offset + 2, 2), let count = integer(offset + 4, 4)
            else { return nil }
            guard tag == 0x0112, count > 0, let width = Self.byteCounts[type] else { continue }
            // Values of more than 4 bytes lie elsewhere.
            let isInline = count * width <= 4
            guard let place = isInline ? offset + 8 : integer(offset + 8, 4), place + count * width <= bytes.count
            else { return nil }
            let value = Self.integerTypes.contains(type) ? integer(place, width) : nil
            self = value.flatMap(Orientation.init(rawValue:)) ?? .upright
            return
        }
        return nil
    }

    /// The bytes of a value, by its type.
    private static let byteCounts = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8,
    ]
    private static let integerTypes: Set = [3, 4, 6, 8, 9, 13]

    /// Reads the orientation from an EXIF block that may begin with `Exif\0\0`, once or twice.
    init?(exif bytes: Bytes) {
        let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
        var tiff = bytes
        for _ in 0..<2 where tiff.starts(with: prefix) {
            guard let rest = tiff.slice(prefix.count, count: tiff.count - prefix.count) else { return nil }
            tiff = rest
        }
        self.init(tiff: tiff)
    }

    /// Reads the orientation from a packet of XMP, where it is an attribute or an element; nil when it is neither.
    ///
    /// The first is taken that Pillow's pattern `tiff:Orientation(="|>)([0-9])` finds.
    init?(xmp bytes: Bytes) {
        let name = Array("tiff:Orientation".utf8)
        var offset = 0
        while let found = bytes.buffer[offset...].firstIndex(of: name[0]) {
            offset = found + 1
            guard bytes.starts(with: name, at: found) else { continue }
            let end = found + name.count
            let width = bytes.starts(with: "=\"", at: end) ? 2 : bytes.starts(with: ">", at: end) ? 1 : 0
            guard width > 0, let digit = bytes.byte(end + width), (0x30...0x39).contains(digit) else { continue }
            self = Orientation(rawValue: Int(digit) - 0x30) ?? .upright
            return
        }
        return nil
    }

    /// The orientation that a file's metadata state: that of EXIF where it has one, or else that of XMP.
    init(exif: Bytes?, xmp: Bytes?) {
        self = exif.flatMap { Orientation(exif: $0) } ?? xmp.flatMap { Orientation(xmp: $0) } ?? .upright
    }
}

extension Image {
    /// The image turned upright.
    func oriented(_ orientation: Orientation) -> Image {
        if orientation == .upright { return self }
        let (width, height) = (width, height)
        let upright = orientation.swapsAxes ? ImageSize(width: height, height: width) : size
        // The source pixel of target (0, 0), and the steps in the source of one target column and one target row.
        let last = (x: width - 1, y: height - 1)
        let (start, column, row): ((x: Int, y: Int), Int, Int) =
            switch orientation {
            case .upright: ((0, 0), 1, width)
            case .mirrored: ((last.x, 0), -1, width)
            case .upsideDown: (last, -1, -width)
            case .flipped: ((0, last.y), 1, -width)
            case .transposed: ((0, 0), width, 1)
            case .turnedLeft: ((0, last.y), -width, 1)
            case .transversed: (last, -width, -1)
            case .turnedRight: ((last.x, 0), width, -1)
            }
        return Image(upright) { target in
            pixels.withUnsafeBufferPointer { source in
                var next = 0
                for y in 0..<upright.height {
                    var position = (start.y * width + start.x + y * row) * 3
                    for _ in 0..<upright.width {
                        target[next] = source[position]
                        target[next + 1] = source[position + 1]
                        target[next + 2] = source[position + 2]
                        next += 3
                        position += column * 3
                    }
                }
            }
        }
    }
}
