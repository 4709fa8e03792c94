/// Draws the frames of a GIF file one after the other.
final class GIFDrawing: FrameDrawing {
    private let file: Bytes
    private let structure: GIFFile
    private var canvas: GIFCanvas?
    private var next = 0

    init(_ file: Bytes, _ structure: GIFFile) {
        (self.file, self.structure) = (file, structure)
    }

    /// A frame that reaches beyond the screen enlarges it, as in Pillow.
    var nextSize: ImageSize {
        let size = canvas?.size ?? structure.screen
        guard structure.frames.indices.contains(next) else { return size }
        let frame = structure.frames[next]
        return ImageSize(
            width: max(size.width, frame.left + frame.size.width),
            height: max(size.height, frame.top + frame.size.height))
    }

    func drawNext() throws(ImageError) {
        guard structure.frames.indices.contains(next), let first = structure.frames.first else {
            throw .corrupt("the file has no frame")
        }
        let (frame, size) = (structure.frames[next], nextSize)
        if canvas == nil { canvas = GIFCanvas(size, palette(first)[first.transparentIndex ?? 0]) }
        canvas?.enlarge(to: size)
        canvas?.dispose()
        let indices = try GIFIndices(file, at: frame.dataOffset, count: frame.size.width * frame.size.height)
        canvas?.draw(frame, indices.values, palette(frame), background: structure.backgroundIndex)
        next += 1
    }

    func image() throws(ImageError) -> Image {
        guard let canvas else { throw .corrupt("the file has no frame") }
        return try Image(width: canvas.size.width, height: canvas.size.height, pixels: canvas.pixels)
    }

    /// The picture with the first frame, its transparent pixels on a ground.
    func imageOnGround() throws(ImageError) -> Image {
        let (image, frame) = (try image(ofFrame: 0), structure.frames[0])
        let indices = try GIFIndices(file, at: frame.dataOffset, count: frame.size.width * frame.size.height)
        var opaque = [GIFPalette.Color](repeating: (255, 255, 255), count: 256)
        if let index = frame.transparentIndex { opaque[Int(index)] = (0, 0, 0) }
        // What no frame covers is transparent, too.
        var alpha = GIFCanvas(image.size, (0, 0, 0))
        alpha.draw(frame, indices.values, GIFPalette(opaque), background: structure.backgroundIndex)
        var pixels = [UInt8](repeating: 0, count: image.size.width * image.size.height * 4)
        for pixel in 0..<image.size.width * image.size.height {
            for channel in 0..<3 { pixels[pixel * 4 + channel] = image.pixels[pixel * 3 + channel] }
            pixels[pixel * 4 + 3] = alpha.pixels[pixel * 3]
        }
        return try Image(onGround: &pixels, image.size, isGrey: false)
    }

    /// The 256 colors of a frame.
    private func palette(_ frame: GIFFile.Frame) -> GIFPalette {
        let bytes = frame.palette.flatMap { file.slice($0.lowerBound, count: $0.count)?.copied } ?? []
        let colors = Image.colors(ofPalette: bytes)
        return GIFPalette(
            stride(from: 0, to: colors.count, by: 3).map { (colors[$0], colors[$0 + 1], colors[$0 + 2]) })
    }
}
