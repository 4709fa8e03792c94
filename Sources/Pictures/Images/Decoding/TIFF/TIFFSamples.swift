/// The samples of a page, and what they stand for.
struct TIFFSamples {
    enum Colors {
        case grey(isInverted: Bool, isPremultiplied: Bool)
        /// Grey in 32 bits. Values outside 0 to 255 are clipped, as in Pillow.
        case float, signed, unsigned
        case color(isPremultiplied: Bool)
        case palette
        case inks
    }

    let colors: Colors
    /// The bits of a sample: 1, 2, 4, 8, 16 or 32.
    let bits: Int
    /// The number of samples for each pixel.
    let count: Int
    /// Whether the samples of a pixel follow one another; otherwise each has strips or tiles of its own.
    let isContiguous: Bool

    /// The number of planes that are read.
    var planeCount: Int {
        if isContiguous { return 1 }
        return switch colors {
        case .grey(_, let isPremultiplied): isPremultiplied ? 2 : 1
        case .color(let isPremultiplied): isPremultiplied ? 4 : 3
        case .inks: 4
        default: 1
        }
    }

    /// The bytes of a row of a strip or tile.
    func rowByteCount(_ width: Int) -> Int { (width * (isContiguous ? count : 1) * bits + 7) / 8 }

    /// A sample as it is stored, at most 16 bits.
    func sample(_ row: UnsafeRawBufferPointer, _ index: Int) -> Int {
        switch bits {
        case 8: return Int(row[index])
        case 16: return Int(row.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        default:
            let shift = 8 - bits * (index % (8 / bits) + 1)
            return Int(row[index * bits / 8]) >> shift & (1 << bits - 1)
        }
    }

    /// A sample in 8 bits: shallower ones are spread, deeper ones keep their high byte.
    func byte(_ row: UnsafeRawBufferPointer, _ index: Int) -> UInt8 {
        switch colors {
        case .float:
            let value = row.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
            return value >= 255 ? 255 : value > 0 ? UInt8(value) : 0
        case .signed: return UInt8(clamping: row.loadUnaligned(fromByteOffset: index * 4, as: Int32.self))
        // Pillow reads these as signed.
        case .unsigned: return UInt8(clamping: row.loadUnaligned(fromByteOffset: index * 4, as: Int32.self))
        default: break
        }
        let sample = sample(row, index)
        return UInt8(
            truncatingIfNeeded: bits == 16 ? sample >> 8 : bits == 8 ? sample : sample * (255 / (1 << bits - 1)))
    }

    /// Writes the pixels of a row.
    ///
    /// - Parameters:
    ///   - planes: The row in each plane.
    ///   - palette: Red, green, blue.
    func write(
        _ planes: [UnsafeRawBufferPointer], width: Int, palette: [UInt8], to target: UnsafeMutableBufferPointer<UInt8>
    ) {
        /// The 8 bits of a pixel's sample with this number.
        func value(_ column: Int, _ number: Int) -> UInt8 {
            isContiguous ? byte(planes[0], column * count + number) : byte(planes[number], column)
        }
        for column in 0..<width {
            let start = column * 3
            switch colors {
            case .grey, .float, .signed, .unsigned:
                var grey = value(column, 0)
                if case .grey(let isInverted, let isPremultiplied) = colors {
                    if isInverted { grey = 255 - grey }
                    if isPremultiplied { grey = grey.divided(by: value(column, 1), clear: grey) }
                }
                (target[start], target[start + 1], target[start + 2]) = (grey, grey, grey)
            case .palette:
                let index = sample(planes[0], isContiguous ? column * count : column) * 3
                (target[start], target[start + 1], target[start + 2]) = (
                    palette[index], palette[index + 1], palette[index + 2]
                )
            case .color(let isPremultiplied):
                let alpha = isPremultiplied ? value(column, 3) : 255
                for channel in 0..<3 {
                    target[start + channel] = value(column, channel).divided(by: alpha, clear: 0)
                }
            case .inks:
                let key = 255 - Int(value(column, 3))
                for channel in 0..<3 {
                    let product = Int(value(column, channel)) * key + 128
                    target[start + channel] = UInt8(clamping: key - ((product >> 8) + product) >> 8)
                }
            }
        }
    }
}
