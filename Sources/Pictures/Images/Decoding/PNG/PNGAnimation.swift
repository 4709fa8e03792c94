/// The picture on which the frames of an animated PNG file are drawn one after the other.
struct PNGAnimation {
    private var pixels: [UInt8]
    private let size: ImageSize
    /// What the rectangle of the last frame becomes before the next is drawn.
    private var restored: (frame: PNGFrames.Frame, pixels: [UInt8])?

    /// - Parameter first: The picture that precedes the other frames.
    init(_ first: Image, _ frames: PNGFrames) {
        size = first.size
        // Where the first picture is not of the animation, or is cleared, the others are drawn on black.
        let isKept = frames.firstDisposal == PNGFrames.Disposal.none
        pixels = isKept ? first.pixels : [UInt8](repeating: 0, count: first.pixels.count)
    }

    var image: Image {
        get throws(ImageError) { try Image(width: size.width, height: size.height, pixels: pixels) }
    }

    /// Draws a frame.
    ///
    /// - Parameter content: Red, green, blue, alpha of its pixels.
    mutating func draw(_ frame: PNGFrames.Frame, _ content: [UInt8]) {
        if let (frame, stored) = restored { replace(frame, by: stored) }
        switch frame.disposal {
        case .none: restored = nil
        case .background:
            restored = (frame, [UInt8](repeating: 0, count: frame.size.width * frame.size.height * 3))
        case .previous: restored = (frame, region(frame))
        }
        for row in 0..<frame.size.height {
            for column in 0..<frame.size.width {
                let source = (row * frame.size.width + column) * 4
                let target = ((frame.top + row) * size.width + frame.left + column) * 3
                let alpha = frame.blends ? Int(content[source + 3]) : 255
                for channel in 0..<3 {
                    let sum =
                        Int(content[source + channel]) * alpha + Int(pixels[target + channel]) * (255 - alpha) + 128
                    pixels[target + channel] = UInt8(truncatingIfNeeded: (sum >> 8 + sum) >> 8)
                }
            }
        }
    }

    private func rowRange(_ frame: PNGFrames.Frame, _ row: Int) -> Range<Int> {
        let start = ((frame.top + row) * size.width + frame.left) * 3
        return start..<start + frame.size.width * 3
    }

    private func region(_ frame: PNGFrames.Frame) -> [UInt8] {
        (0..<frame.size.height).flatMap { pixels[rowRange(frame, $0)] }
    }

    private mutating func replace(_ frame: PNGFrames.Frame, by stored: [UInt8]) {
        let width = frame.size.width * 3
        for row in 0..<frame.size.height {
            pixels.replaceSubrange(rowRange(frame, row), with: stored[row * width..<(row + 1) * width])
        }
    }
}
