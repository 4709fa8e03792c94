/// GIF. Its decompression is short, and giflib has no function that tells its version, on which its structures depend.
struct GIFDecoder: PictureDecoder {
    static let name = "GIF"
    static let fileExtensions: Set<String> = ["gif"]
    static let signatures = [[UInt8?].text("GIF87a"), .text("GIF89a")]

    let size: ImageSize
    private let file: Bytes
    private let structure: GIFFile
    private let frame: Int

    init(_ file: Bytes, frame: Int) throws(ImageError) {
        self.file = file
        self.frame = frame
        structure = try GIFFile(file)
        guard !structure.frames.isEmpty else { throw structure.damage ?? .corrupt("the file has no frame") }
        // A frame that reaches beyond the screen enlarges it, as in Pillow.
        size = structure.frames.prefix(frame + 1).reduce(structure.screen) { size, frame in
            ImageSize(
                width: max(size.width, frame.left + frame.size.width),
                height: max(size.height, frame.top + frame.size.height))
        }
        guard size.width > 0, size.height > 0 else { throw .corrupt("the header declares \(size) pixels") }
    }

    var orientation: Orientation { .upright }
    var frameCount: Int { structure.frames.count }
    /// The picture, the picture before, and a frame's indices.
    var decodingBytesPerPixel: Int { frame == 0 ? 4 : 7 }
    /// What the first frame becomes, its transparency with the same, and both together.
    var groundBytesPerPixel: Int { hasAlpha && frame == 0 ? 3 + 6 + 4 : 0 }
    private var hasAlpha: Bool { structure.frames.first?.transparentIndex != nil }
    var pixelDescription: String { "8-bit palette" }

    func decoded(_ options: Image.DecodingOptions) throws(ImageError) -> Image {
        let drawing = GIFDrawing(file, structure)
        return options.putsOnGround && hasAlpha && frame == 0
            ? try drawing.imageOnGround() : try drawing.image(ofFrame: frame)
    }

    func drawing() throws(ImageError) -> (any FrameDrawing)? { GIFDrawing(file, structure) }
}

/// 256 colors.
struct GIFPalette {
    typealias Color = (red: UInt8, green: UInt8, blue: UInt8)

    private let colors: [Color]

    init(_ colors: [Color]) { self.colors = colors }

    subscript(_ index: UInt8) -> Color { colors[Int(index)] }
}

/// The picture on which frames are drawn one after the other.
struct GIFCanvas {
    private(set) var pixels: [UInt8]

    private(set) var size: ImageSize
    private let color: GIFPalette.Color
    /// What the rectangle of the last frame becomes before the next is drawn.
    private var restored: (frame: GIFFile.Frame, pixels: [UInt8])?
    private var frameCount = 0

    init(_ size: ImageSize, _ color: GIFPalette.Color) {
        (self.size, self.color) = (size, color)
        pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
        for pixel in 0..<size.width * size.height { set(pixel, color) }
    }

    private mutating func set(_ pixel: Int, _ color: GIFPalette.Color) {
        (pixels[pixel * 3], pixels[pixel * 3 + 1], pixels[pixel * 3 + 2]) = color
    }

    /// Makes room for a frame that reaches beyond the canvas.
    mutating func enlarge(to size: ImageSize) {
        guard size != self.size else { return }
        let old = self
        self = GIFCanvas(size, color)
        (restored, frameCount) = (old.restored, old.frameCount)
        let width = old.size.width * 3
        for row in 0..<old.size.height {
            let start = row * size.width * 3
            pixels.replaceSubrange(start..<start + width, with: old.pixels[row * width..<(row + 1) * width])
        }
    }

    /// Does what the last frame asks for before the next one.
    mutating func dispose() {
        guard let (frame, stored) = restored else { return }
        let width = frame.size.width * 3
        for row in 0..<frame.size.height where width > 0 {
            let start = ((frame.top + row) * size.width + frame.left) * 3
            pixels.replaceSubrange(start..<start + width, with: stored[row * width..<(row + 1) * width])
        }
        restored = nil
    }

    /// Draws a frame, which lies within the canvas. Transparent pixels of all frames but the first show what is there.
    mutating func draw(_ frame: GIFFile.Frame, _ indices: [UInt8], _ palette: GIFPalette, background: UInt8) {
        remember(frame, palette, background: background)
        let transparentIndex = frameCount == 0 ? nil : frame.transparentIndex
        var next = 0
        for row in frame.isInterlaced ? Self.interlacedRows(frame.size.height) : Array(0..<frame.size.height) {
            let start = (frame.top + row) * size.width + frame.left
            for column in 0..<frame.size.width {
                let index = indices[next]
                next += 1
                if index != transparentIndex { set(start + column, palette[index]) }
            }
        }
        frameCount += 1
    }

    private mutating func remember(_ frame: GIFFile.Frame, _ palette: GIFPalette, background: UInt8) {
        let isFirst = frameCount == 0
        switch frame.disposal {
        case .unspecified, .keep: restored = nil
        case .previous where isFirst && frame.transparentIndex == nil: restored = nil
        case .previous where !isFirst:
            let width = frame.size.width * 3
            restored = (
                frame,
                (0..<frame.size.height).flatMap { row in
                    let start = ((frame.top + row) * size.width + frame.left) * 3
                    return pixels[start..<start + width]
                }
            )
        case .background, .previous:
            let color = palette[frame.transparentIndex ?? background]
            let count = frame.size.width * frame.size.height
            var filled = [UInt8](repeating: color.red, count: count * 3)
            for pixel in 0..<count { (filled[pixel * 3 + 1], filled[pixel * 3 + 2]) = (color.green, color.blue) }
            restored = (frame, filled)
        }
    }

    /// The rows of an interlaced frame, in the order of the file.
    private static func interlacedRows(_ height: Int) -> [Int] {
        [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
    }
}
