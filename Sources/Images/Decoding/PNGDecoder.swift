import PNGReading

extension Image {
    init(png file: Bytes, options: DecodingOptions) throws(ImageError) {
        let header = try PNGHeader(file)
        try options.check(header.size)
        try options.check(header.size, bytesPerPixel: 3, turning: header.orientation)
        let decoded = try Image(header.size) { (target) throws(ImageError) in
            var message = [CChar](repeating: 0, count: Int(PNGReadingMessageCapacity))
            let status = PNGReadingDecode(
                file.buffer.bindMemory(to: UInt8.self).baseAddress, file.count,
                UInt32(header.size.width), UInt32(header.size.height), target.baseAddress, &message)
            if status == PNGReadingOK { return }
            let text = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            switch status {
            case PNGReadingTruncated: throw .truncated(text)
            case PNGReadingOutOfMemory: throw .outOfMemory
            default: throw .corrupt(text)
            }
        }
        self = options.appliesOrientation ? decoded.oriented(header.orientation) : decoded
        isFirstOfSeveralFrames = header.isAnimated
    }
}
