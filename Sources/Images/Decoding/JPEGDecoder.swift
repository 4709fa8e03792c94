import CTurboJPEG
import Foundation

extension Image {
    init(jpeg file: Bytes, options: DecodingOptions) throws(ImageError) {
        let header = try JPEGHeader(file)
        try options.check(header.size)
        try options.check(header.size, bytesPerPixel: header.decodingBytesPerPixel, turning: header.orientation)
        let decoder = try JPEGDecoder(file, header)
        let size = options.reducedJPEGSize.map { header.size.reducedByEighths(notBelow: $0) } ?? header.size
        let decoded: Image
        if header.componentCount == 4 {
            var inks = [UInt8](repeating: 0, count: size.width * size.height * 4)
            try inks.withUnsafeMutableBufferPointer { (buffer) throws(ImageError) in
                try decoder.decode(to: buffer, size, TJPF_CMYK, bytesPerPixel: 4)
            }
            decoded = Image(invertedCMYK: inks, size)
        } else {
            decoded = try Image(size) { (target) throws(ImageError) in
                try decoder.decode(to: target, size, TJPF_RGB, bytesPerPixel: 3)
            }
        }
        self = options.appliesOrientation ? decoded.oriented(header.orientation) : decoded
    }

    /// Converts inverted CMYK inks, as Adobe stores them in JPEG files (255 is no ink).
    ///
    ///     R = K - round((255 - C) * K / 255), likewise G from M and B from Y
    ///
    /// Pillow converts every CMYK JPEG in this way, with the same rounding.
    private init(invertedCMYK inks: [UInt8], _ size: ImageSize) {
        self = Image(size) { target in
            inks.withUnsafeBufferPointer { source in
                for pixel in 0..<size.width * size.height {
                    let key = Int(source[pixel * 4 + 3])
                    for channel in 0..<3 {
                        let product = (255 - Int(source[pixel * 4 + channel])) * key + 128
                        target[pixel * 3 + channel] = UInt8(max(0, key - ((product >> 8) + product) >> 8))
                    }
                }
            }
        }
    }
}

/// A TurboJPEG decompressor of one file.
private final class JPEGDecoder {
    private let handle: tjhandle
    private let file: Bytes
    private let scanOffset: Int

    init(_ file: Bytes, _ header: JPEGHeader) throws(ImageError) {
        guard let handle = tjInitDecompress() else { throw .outOfMemory }
        self.handle = handle
        self.file = file
        scanOffset = header.scanOffset
        var (width, height, sampling, colorSpace) = (Int32(0), Int32(0), Int32(0), Int32(0))
        let status = tjDecompressHeader3(
            handle, start, UInt(file.count), &width, &height, &sampling, &colorSpace)
        // It also fails on sampling factors that it decodes but has no name for. The size is known in that case.
        if status != 0, width == 0 || height == 0 { throw error }
        guard width == header.size.width, height == header.size.height else {
            throw .corrupt("the image size is declared twice, differently")
        }
    }

    deinit { tjDestroy(handle) }

    /// Decodes with the accurate DCT and smooth upsampling. `size` is the file's, or smaller in steps of eighths.
    func decode(
        to target: UnsafeMutableBufferPointer<UInt8>, _ size: ImageSize, _ format: TJPF, bytesPerPixel: Int
    ) throws(ImageError) {
        func decode(flags: Int32) -> Int32 {
            tjDecompress2(
                handle, start, UInt(file.count), target.baseAddress, Int32(size.width),
                Int32(size.width * bytesPerPixel), Int32(size.height), Int32(format.rawValue),
                flags | TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS)
        }
        if decode(flags: TJFLAG_STOPONWARNING) == 0 { return }
        guard isPaddingWarning else { throw error }
        if decode(flags: 0) != 0, !isPaddingWarning { throw error }
    }

    private var start: UnsafePointer<UInt8>? { file.buffer.bindMemory(to: UInt8.self).baseAddress }

    private var message: String {
        let text = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "unknown error"
        guard text.hasPrefix("tj"), let call = text.range(of: "(): ") else { return text }
        return String(text[call.upperBound...])
    }

    /// Whether the only warning is about extra bytes between the last scan and the end marker. Some cameras write them;
    /// no pixel depends on them.
    private var isPaddingWarning: Bool {
        let words = message.split(separator: " ")
        guard message.hasSuffix("extraneous bytes before marker 0xd9"),
            let count = words.firstIndex(of: "extraneous").flatMap({ Int(words[$0 - 1]) })
        else { return false }
        return count <= 16
    }

    private var hasEndMarker: Bool {
        let scans = file.buffer.dropFirst(scanOffset)
        return zip(scans, scans.dropFirst()).contains { $0 == (0xFF, 0xD9) }
    }

    private var error: ImageError {
        let message = message
        if message.contains("Premature end of JPEG file") || !hasEndMarker {
            return .truncated("it ends before its end marker")
        }
        if message.contains("nsufficient memory") || message.contains("allocation failure") { return .outOfMemory }
        if message.contains("Unsupported") { return .unsupported("this kind of JPEG (\(message))") }
        return .corrupt(message)
    }
}

extension ImageSize {
    /// The smallest of this size times 1/8, 2/8, …, 8/8, rounded up, whose extents are not below those of `minimum`.
    fileprivate func reducedByEighths(notBelow minimum: ImageSize) -> ImageSize {
        for eighths in 1...7 {
            let reduced = ImageSize(width: (width * eighths + 7) / 8, height: (height * eighths + 7) / 8)
            if reduced.width >= minimum.width, reduced.height >= minimum.height { return reduced }
        }
        return self
    }
}
