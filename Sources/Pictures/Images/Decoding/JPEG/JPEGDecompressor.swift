import CTurboJPEG

/// A TurboJPEG decompressor of one file.
final class JPEGDecompressor {
    /// The order of channels of decoded pixels.
    enum PixelOrder {
        case rgb, cmyk

        fileprivate var format: TJPF { self == .rgb ? TJPF_RGB : TJPF_CMYK }
    }

    private let handle: tjhandle
    private let file: Bytes

    init(_ file: Bytes, _ size: ImageSize) throws(ImageError) {
        guard let handle = tjInitDecompress() else { throw .outOfMemory }
        self.handle = handle
        self.file = file
        var (width, height, sampling, colorSpace) = (Int32(0), Int32(0), Int32(0), Int32(0))
        let status = tjDecompressHeader3(
            handle, start, UInt(file.count), &width, &height, &sampling, &colorSpace)
        // It also fails on sampling factors that it decodes but has no name for, and where extraneous bytes precede
        // a marker. The size is known in these cases.
        if status != 0, width == 0 || height == 0 { throw error }
        guard width == size.width, height == size.height else {
            throw .corrupt("the size of the picture is declared twice, differently")
        }
    }

    deinit { tjDestroy(handle) }

    /// Decodes with the accurate DCT and smooth upsampling. `size` is the file's, or smaller in steps of eighths.
    ///
    /// Any warning is an error, except one about no more than `paddingLimit` bytes between the last scan and the end
    /// marker, on which no pixel depends.
    ///
    /// - Returns: The number of these bytes.
    func decode(
        to target: UnsafeMutableBufferPointer<UInt8>, _ size: ImageSize, _ order: PixelOrder, bytesPerPixel: Int,
        paddingLimit: Int
    ) throws(ImageError) -> Int {
        func decode(flags: Int32) -> Int32 {
            tjDecompress2(
                handle, start, UInt(file.count), target.baseAddress, Int32(size.width),
                Int32(size.width * bytesPerPixel), Int32(size.height), Int32(order.format.rawValue),
                flags | TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS)
        }
        if decode(flags: TJFLAG_STOPONWARNING) == 0 { return 0 }
        guard let padding, padding <= paddingLimit else { throw error }
        if decode(flags: 0) != 0, self.padding == nil { throw error }
        return padding
    }

    private var start: UnsafePointer<UInt8>? { file.buffer.bindMemory(to: UInt8.self).baseAddress }

    private var message: String {
        let text = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "unknown error"
        guard text.hasPrefix("tj"), let call = text.firstRange(of: "(): ") else { return text }
        return String(text[call.upperBound...])
    }

    /// The number of bytes between the last scan and the end marker, when the warning is about these.
    private var padding: Int? {
        let words = message.split(separator: " ")
        guard message.hasSuffix("extraneous bytes before marker 0xd9") else { return nil }
        return words.firstIndex(of: "extraneous").flatMap { $0 > 0 ? Int(words[$0 - 1]) : nil }
    }

    private var error: ImageError {
        let message = message
        if message.contains("Premature end of JPEG file") { return .truncated(JPEGDamage.noEndMarker) }
        if message.contains("nsufficient memory") || message.contains("allocation failure") { return .outOfMemory }
        if message.contains("Unsupported") { return .unsupported("this kind of JPEG (\(message))") }
        return .corrupt(message)
    }
}
