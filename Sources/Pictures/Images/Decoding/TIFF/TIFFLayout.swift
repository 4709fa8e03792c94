import CPictures

/// How the samples of a page become red, green and blue.
enum TIFFLayout {
    /// The library converts the whole page, as Pillow asks it to for luminance and chrominance.
    case converted
    case samples(TIFFSamples)

    /// - Throws: ``ImageError/unsupported(_:)`` for what Pillow does not read either.
    init(_ page: apus_tiff_page) throws(ImageError) {
        let (bits, samples, format) = (Int(page.bits), Int(page.samples), Int(page.sample_format))
        guard page.is_codec_known != 0, page.compression != 6 else {
            throw .unsupported("TIFF with compression \(page.compression)")
        }
        let kinds = [2: "signed ", 3: "floating-point ", 5: "complex signed ", 6: "complex floating-point "]
        let advice = format == 1 ? "" : " (unsigned integers of 8 and 16 bits are read)"
        let unsupported = ImageError.unsupported(
            "TIFF of \(samples) \(kinds[format] ?? "")sample\(samples == 1 ? "" : "s") of \(bits) bits with "
                + "photometric interpretation \(page.photometric)\(advice)")
        let (isContiguous, isJPEG) = (page.planar == 1, page.compression == 7)
        let colors: TIFFSamples.Colors
        switch page.photometric {
        case 0, 1,
            6 where samples == 1:
            let isInteger = [1, 2, 4, 8, 16].contains(bits) && format == 1 || bits == 8 && format == 2
            guard isInteger || bits == 32 && (1...3).contains(format) else { throw unsupported }
            colors =
                bits == 32
                ? (format == 3 ? .float : format == 2 ? .signed : .unsigned)
                : .grey(
                    isInverted: page.photometric == 0,
                    isPremultiplied: samples > 1 && [8, 16].contains(bits) && page.photometric == 1
                        && page.extra_count > 0 && page.first_extra == 1)
        case 2 where samples >= 3, 6 where samples == 3 && isContiguous && isJPEG:
            guard [8, 16].contains(bits), format == 1 else { throw unsupported }
            // Without a word about the fourth sample, it is alpha.
            colors = .color(isPremultiplied: samples > 3 && page.extra_count > 0 && page.first_extra == 1)
        case 3:
            guard [1, 2, 4, 8].contains(bits), format == 1, page.red != nil else { throw unsupported }
            colors = .palette
        case 5 where samples >= 4:
            guard [8, 16].contains(bits), format == 1 else { throw unsupported }
            colors = .inks
        case 6 where samples == 3 && bits == 8:
            self = .converted
            return
        default: throw unsupported
        }
        self = .samples(TIFFSamples(colors: colors, bits: bits, count: samples, isContiguous: isContiguous))
    }
}
