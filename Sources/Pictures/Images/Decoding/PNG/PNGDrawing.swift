/// Draws the frames of a PNG file one after the other, the first of which is the picture that every reader of PNG
/// shows.
final class PNGDrawing: FrameDrawing {
    private let file: Bytes
    private let frames: PNGFrames?
    private var first: Image?
    private var animation: PNGAnimation?
    private var next = 0

    let nextSize: ImageSize

    init(_ file: Bytes, _ size: ImageSize, _ frames: PNGFrames?) {
        (self.file, nextSize, self.frames) = (file, size, frames)
    }

    func drawNext() throws(ImageError) {
        guard let first else {
            self.first = try Image(nextSize) { (target) throws(ImageError) in
                try PNGDecoder.decode(file, nextSize, hasAlpha: false, to: target)
            }
            return
        }
        guard let frames, frames.others.indices.contains(next) else { throw .corrupt("the file has no frame") }
        if animation == nil { animation = PNGAnimation(first, frames) }
        let frame = frames.others[next]
        let content = frames.file(of: frame, in: file)
        var pixels = [UInt8](repeating: 0, count: frame.size.width * frame.size.height * 4)
        let result = content.withUnsafeBytes { bytes in
            pixels.withUnsafeMutableBufferPointer { target in
                Result { () throws(ImageError) in
                    try PNGDecoder.decode(Bytes(bytes), frame.size, hasAlpha: true, to: target)
                }
            }
        }
        try result.get()
        animation?.draw(frame, pixels)
        next += 1
    }

    func image() throws(ImageError) -> Image {
        if let animation { return try animation.image }
        guard let first else { throw .corrupt("the file has no frame") }
        return first
    }
}
