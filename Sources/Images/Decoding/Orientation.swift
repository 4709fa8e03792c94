/// The orientation of stored pixels: the values of EXIF tag 0x0112.
enum Orientation: Int {
    case upright = 1
    case mirrored, upsideDown, flipped, transposed, turnedLeft, transversed, turnedRight

    /// Whether stored rows are columns of the upright picture.
    var swapsAxes: Bool { rawValue >= 5 }

    /// Reads the orientation from a TIFF structure, as EXIF embeds it; nil when absent or malformed.
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
        var found: Orientation?
        for entry in 0..<entryCount {
            let offset = directory + 2 + entry * 12
            guard let tag = integer(offset, 2) else { break }
            guard tag == 0x0112, integer(offset + 4, 4) == 1 else { continue }
            let valueByteCount: Int
            switch integer(offset + 2, 2) {
            case 1: valueByteCount = 1
            case 3: valueByteCount = 2
            case 4: valueByteCount = 4
            default: continue
            }
            found = integer(offset + 8, valueByteCount).flatMap(Orientation.init(rawValue:))
        }
        guard let found else { return nil }
        self = found
    }

    /// Reads the orientation from an EXIF block that may begin with `Exif\0\0`.
    init?(exif bytes: Bytes) {
        let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
        guard bytes.starts(with: prefix) else {
            self.init(tiff: bytes)
            return
        }
        guard let tiff = bytes.slice(prefix.count, count: bytes.count - prefix.count) else { return nil }
        self.init(tiff: tiff)
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
