import CPictures

/// Draws the frames of an animated WebP file one after the other.
final class WebPDrawing: FrameDrawing {
    private let functions: apus_webp_demux
    private let decoder: OpaquePointer
    /// Red, green, blue and alpha of the last frame; the decoder's own.
    private var canvas: UnsafeMutablePointer<UInt8>?
    private var count = 0
    /// Whether transparent colors are put on a ground, for networks that read text.
    var isOnGround = false

    let nextSize: ImageSize

    /// - Parameter file: The file, whose memory the decoder reads until it ends.
    init(_ file: Bytes, _ size: ImageSize, _ functions: apus_webp_demux) throws(ImageError) {
        var data = apus_webp_data(
            bytes: file.buffer.bindMemory(to: UInt8.self).baseAddress, size: file.count)
        guard let decoder = functions.WebPAnimDecoderNewInternal(&data, nil, Int32(apus_webp_demux_version))
        else { throw .corrupt("the animation cannot be read") }
        (self.functions, self.decoder, nextSize) = (functions, decoder, size)
        var information = apus_webp_info()
        guard functions.WebPAnimDecoderGetInfo(decoder, &information) != 0,
            information.canvas_width == size.width, information.canvas_height == size.height
        else { throw .corrupt("the size of the picture is declared twice, differently") }
    }

    deinit { functions.WebPAnimDecoderDelete(decoder) }

    func drawNext() throws(ImageError) {
        var timestamp = Int32(0)
        count += 1
        guard functions.WebPAnimDecoderGetNext(decoder, &canvas, &timestamp) != 0 else {
            canvas = nil
            throw .corrupt("frame \(count) cannot be decoded")
        }
    }

    func image() throws(ImageError) -> Image {
        guard let canvas else { throw .corrupt("the animation has no frame") }
        if isOnGround {
            var pixels = Array(UnsafeBufferPointer(start: canvas, count: nextSize.width * nextSize.height * 4))
            return try Image(onGround: &pixels, nextSize, isGrey: false)
        }
        return Image(nextSize) { target in
            for pixel in 0..<nextSize.width * nextSize.height {
                for channel in 0..<3 { target[pixel * 3 + channel] = canvas[pixel * 4 + channel] }
            }
        }
    }
}
