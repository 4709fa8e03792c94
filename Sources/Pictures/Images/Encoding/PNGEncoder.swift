import CZlib
import FoundationEssentials

/// Encodes pixels as PNG files.
///
/// Source: https://www.w3.org/TR/png-3/
package enum PNGEncoder {
    /// The meaning of the numbers of pixels.
    package enum Pixels {
        /// Positions in a palette of at most 256 colors; bytes.
        case indices(palette: [Preprocessing.Color])
        /// Levels of gray from 0 to 255; bytes.
        case gray8
        /// Levels of gray from 0 to 65,535; two bytes each, the most significant first.
        case gray16
        /// Red, green and blue; three bytes.
        case rgb8
        /// Red, green, blue and opacity; four bytes.
        case rgba8

        /// The number of bytes of a pixel.
        var byteCount: Int {
            switch self {
            case .indices, .gray8: 1
            case .gray16: 2
            case .rgb8: 3
            case .rgba8: 4
            }
        }

        /// The filter of rows: none, or for colors the difference from the pixel to the left.
        var filter: UInt8 { byteCount > 2 ? 1 : 0 }
    }

    /// Encodes a picture.
    ///
    /// - Parameters:
    ///   - bytes: The pixels, row after row from the top.
    ///   - comment: A text in Latin letters that is kept in the file, before the pixels.
    /// - Throws: ``ImageError/invalidSize(_:)`` when there are too few bytes for the size, ``ImageError/outOfMemory``.
    package static func encode(
        _ bytes: [UInt8], size: ImageSize, _ pixels: Pixels, comment: String
    ) throws(ImageError) -> Data {
        guard bytes.count > 0 else { throw .invalidSize("there are no pixels") }
        return try encode(size: size, pixels, comment: comment, bands: CollectionOfOne(bytes))
    }

    /// Encodes a picture of which there are some rows at a time.
    ///
    /// - Parameter bands: The bytes of whole rows, from the top.
    /// - Throws: As ``encode(_:size:_:comment:)``.
    package static func encode(
        size: ImageSize, _ pixels: Pixels, comment: String, bands: some Sequence<[UInt8]>
    ) throws(ImageError) -> Data {
        let (rowByteCount, rowOverflow) = size.width.multipliedReportingOverflow(by: pixels.byteCount)
        let (count, overflow) = rowByteCount.multipliedReportingOverflow(by: size.height)
        guard size.width > 0, size.height > 0, !rowOverflow, !overflow,
            let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height)
        else { throw .invalidSize("a PNG file cannot have the size \(size)") }
        var file = Data(signature)
        let (depth, colorType): (UInt8, UInt8) =
            switch pixels {
            case .indices: (8, 3)
            case .gray8: (8, 0)
            case .gray16: (16, 0)
            case .rgb8: (8, 2)
            case .rgba8: (8, 6)
            }
        append("IHDR", bigEndian(width) + bigEndian(height) + [depth, colorType, 0, 0, 0], to: &file)
        append("tEXt", textKey + Array(comment.utf8), to: &file)
        if case .indices(let palette) = pixels {
            append("PLTE", palette.prefix(256).flatMap { [$0.red, $0.green, $0.blue] }, to: &file)
        }
        let rows = CompressedRows(byteCount: rowByteCount, pixelByteCount: pixels.byteCount, filter: pixels.filter)
        var found = 0
        for band in bands {
            found += band.count
            guard found <= count, band.count % rowByteCount == 0 else { break }
            for part in try rows.add(band, isLast: found == count) { append("IDAT", part, to: &file) }
        }
        guard found == count else { throw .invalidSize("\(found) bytes are not those of \(size)") }
        append("IEND", [], to: &file)
        return file
    }

    /// The bytes of a file from its beginning to a comment of `count` bytes.
    package static func beginning(commentByteCount count: Int) -> Int { 8 + 25 + 8 + textKey.count + count }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let textKey = Array("Comment".utf8) + [0]

    /// A chunk: its length, its name, its content, and a checksum of the last two.
    private static func append(_ name: String, _ content: [UInt8], to file: inout Data) {
        let named = Array(name.utf8) + content
        file += bigEndian(UInt32(truncatingIfNeeded: content.count))
        file += named
        file += bigEndian(UInt32(truncatingIfNeeded: crc32_z(0, named, named.count)))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension Preprocessing.Color {
    /// The colors of classes in masks, as in PASCAL VOC: the bits of the class are spread over those of red, green and
    /// blue, from the highest. Class 0 is black, and 255 is 224, 224, 192, for pixels of no class.
    ///
    /// Source: `VOClabelcolormap` of http://host.robots.ox.ac.uk/pascal/VOC/voc2012
    package static let ofClasses: [Preprocessing.Color] = (0..<256).map { index in
        var (red, green, blue) = (0, 0, 0)
        for position in 0..<8 {
            let bits = index >> (3 * position)
            red |= (bits & 1) << (7 - position)
            green |= (bits >> 1 & 1) << (7 - position)
            blue |= (bits >> 2 & 1) << (7 - position)
        }
        return Preprocessing.Color(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
    }
}
