import CPictures
import Glibc

/// An image that libheif has decoded, and that it keeps as long as this lives.
final class HEIFDecodedImage {
    private let functions: apus_heif
    private let image: OpaquePointer

    /// - Parameter image: What the library has made; it is released.
    init(_ image: OpaquePointer, _ functions: apus_heif) { (self.image, self.functions) = (image, functions) }

    deinit { functions.heif_image_release(image) }

    /// The first byte of a channel, and the bytes from a row to the next; nil for another size.
    func plane(_ channel: Int, _ size: ImageSize, sampleByteCount: Int) -> (UnsafePointer<UInt8>, stride: Int)? {
        var stride = Int32(0)
        guard self.size(of: channel) == size,
            let plane = functions.heif_image_get_plane_readonly(image, Int32(channel), &stride),
            Int(stride) >= size.width * sampleByteCount
        else { return nil }
        return (plane, Int(stride))
    }

    private func size(of channel: Int) -> ImageSize {
        ImageSize(
            width: Int(functions.heif_image_get_width(image, Int32(channel))),
            height: Int(functions.heif_image_get_height(image, Int32(channel))))
    }

    private func bits(of channel: Int) -> Int {
        Int(functions.heif_image_get_bits_per_pixel_range(image, Int32(channel)))
    }

    /// Whether the planes are red, green and blue.
    var hasColors: Bool { Int(functions.heif_image_get_colorspace(image)) == apus_heif_colorspace_rgb }

    /// The samples as they are coded, of a file that asks for them.
    ///
    /// - Throws: ``ImageError/corrupt(_:)`` where planes are missing or have other sizes.
    func samples(_ coding: HEIFCoding) throws(ImageError) -> PlanarSamples {
        let space = Int(functions.heif_image_get_colorspace(image))
        // Versions before 1.17 give red, green and blue, in which samples of color are repeated.
        let isRepeated = hasColors
        let channels =
            isRepeated
            ? (light: apus_heif_channel_g, blue: apus_heif_channel_b, red: apus_heif_channel_r)
            : (light: apus_heif_channel_y, blue: apus_heif_channel_cb, red: apus_heif_channel_cr)
        let size = size(of: channels.light)
        let bits = bits(of: channels.light)
        guard (8...16).contains(bits), size.pixelCount != nil else { throw .corrupt("the picture has no brightness") }
        let sampleByteCount = bits > 8 ? 2 : 1
        func plane(_ channel: Int, _ size: ImageSize) throws(ImageError) -> SamplePlane {
            guard self.bits(of: channel) == bits,
                let (start, stride) = self.plane(channel, size, sampleByteCount: sampleByteCount)
            else { throw .corrupt("the planes of the picture have different sizes or depths") }
            return SamplePlane(
                start, rowStride: stride, width: size.width, height: size.height, sampleByteCount: sampleByteCount)
        }
        var samples = PlanarSamples(try plane(channels.light, size))
        samples.bits = bits
        if !coding.isGrey, space != apus_heif_colorspace_monochrome {
            let chroma = Int(functions.heif_image_get_chroma_format(image))
            let halves = chroma == apus_heif_chroma_420 || chroma == apus_heif_chroma_422
            let (sharesColumns, sharesRows) =
                isRepeated
                ? (coding.isTakenForColors && coding.sharesColumns, coding.isTakenForColors && coding.sharesRows)
                : (halves, chroma == apus_heif_chroma_420)
            let stored = ImageSize(
                width: halves ? (size.width + 1) / 2 : size.width,
                height: chroma == apus_heif_chroma_420 ? (size.height + 1) / 2 : size.height)
            var colors = (blue: try plane(channels.blue, stored), red: try plane(channels.red, stored))
            (samples.sharesColumns, samples.sharesRows) = (sharesColumns, sharesRows)
            if isRepeated, sharesColumns || sharesRows {
                // Where they are not repeated, the library has interpolated them itself.
                if colors.blue.isRepeated(sharesColumns, sharesRows), colors.red.isRepeated(sharesColumns, sharesRows) {
                    colors.blue = colors.blue.everySecond(sharesColumns, sharesRows)
                    colors.red = colors.red.everySecond(sharesColumns, sharesRows)
                } else {
                    (samples.sharesColumns, samples.sharesRows) = (false, false)
                }
            }
            samples.colors = colors
        }
        if coding.isPremultiplied {
            let alphaBits = self.bits(of: apus_heif_channel_alpha)
            guard (8...16).contains(alphaBits),
                let (start, stride) = self.plane(apus_heif_channel_alpha, size, sampleByteCount: alphaBits > 8 ? 2 : 1)
            else { throw .unsupported("AVIF with transparency of another size") }
            samples.factors = (
                SamplePlane(
                    start, rowStride: stride, width: size.width, height: size.height,
                    sampleByteCount: alphaBits > 8 ? 2 : 1), alphaBits
            )
        }
        return samples
    }
}

extension SamplePlane {
    /// Whether each second sample in a row, or each second row, equals the one before.
    fileprivate func isRepeated(_ inColumns: Bool, _ inRows: Bool) -> Bool {
        for index in stride(from: 0, to: height, by: inRows ? 2 : 1) {
            let row = row(index)
            if inRows, index + 1 < height, memcmp(row, self.row(index + 1), width * columnStride) != 0 { return false }
            guard inColumns else { continue }
            for column in stride(from: 1, to: width, by: 2) {
                for byte in column * columnStride..<(column + 1) * columnStride
                where row.load(fromByteOffset: byte, as: UInt8.self)
                    != row.load(fromByteOffset: byte - columnStride, as: UInt8.self)
                {
                    return false
                }
            }
        }
        return true
    }

    /// Each second sample of a row, or each second row.
    fileprivate func everySecond(_ inColumns: Bool, _ inRows: Bool) -> SamplePlane {
        SamplePlane(
            start, rowStride: rowStride, width: width, height: height, sampleByteCount: columnStride,
            columnStep: inColumns ? 2 : 1, rowStep: inRows ? 2 : 1)
    }
}
