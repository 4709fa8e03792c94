import Images

/// The size and pixel format of raw frames, and their rate in frames per second: `640x480xrgb24@30`.
public struct FrameFormat: Sendable, Equatable {
    /// Pixel formats, named as FFmpeg names them.
    public enum Pixels: String, Sendable, CaseIterable {
        case rgb24, bgr24, rgba, bgra, gray, yuv420p
    }

    /// Frames per second, as a whole number or a fraction such as 30000/1001.
    public struct Rate: Sendable, Equatable {
        /// The number of frames in ``seconds`` seconds.
        public let frames: Int
        /// The number of seconds in which ``frames`` frames are shown.
        public let seconds: Int

        /// Makes a rate; nil unless both numbers lie between 1 and 1,000,000.
        public init?(frames: Int, seconds: Int = 1) {
            guard (1...1_000_000).contains(frames), (1...1_000_000).contains(seconds) else { return nil }
            self.frames = frames
            self.seconds = seconds
        }

        /// Reads `30`, `0.5` or `30000/1001`, with at most six decimals.
        public init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            if parts.count == 2, let frames = Int(parts[0]), let seconds = Int(parts[1]) {
                self.init(frames: frames, seconds: seconds)
            } else if parts.count == 1, let number = Double(text), number.isFinite, number > 0, number <= 1_000_000 {
                let whole = Int(number)
                if Double(whole) == number {
                    self.init(frames: whole)
                } else {
                    self.init(frames: Int((number * 1000).rounded()), seconds: 1000)
                }
            } else {
                return nil
            }
        }
    }

    /// The width and height.
    public let size: ImageSize
    /// The pixel format.
    public let pixels: Pixels
    /// The frames per second; nil when unknown.
    public let rate: Rate?

    /// The maximum width and height in pixels.
    private static let maximumSide = 32_768

    /// Makes a format; nil unless both sides are between 1 and 32,768.
    public init?(width: Int, height: Int, pixels: Pixels, rate: Rate? = nil) {
        guard (1...Self.maximumSide).contains(width), (1...Self.maximumSide).contains(height) else { return nil }
        size = ImageSize(width: width, height: height)
        self.pixels = pixels
        self.rate = rate
    }

    /// Reads `WIDTHxHEIGHTxPIXELS` or `WIDTHxHEIGHTxPIXELS@RATE`.
    public init?(_ text: String) {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        let parts = (halves.first ?? "").split(separator: "x", maxSplits: 2, omittingEmptySubsequences: false)
        guard halves.count <= 2, parts.count == 3, let width = Int(parts[0]), let height = Int(parts[1]),
            let pixels = Pixels(rawValue: String(parts[2]))
        else { return nil }
        var rate: Rate?
        if halves.count == 2 {
            rate = Rate(String(halves[1]))
            if rate == nil { return nil }
        }
        self.init(width: width, height: height, pixels: pixels, rate: rate)
    }

    /// The bytes of one frame.
    public var byteCount: Int {
        let count = size.width * size.height
        switch pixels {
        case .rgb24, .bgr24: return count * 3
        case .rgba, .bgra: return count * 4
        case .gray: return count
        case .yuv420p: return count + 2 * ((size.width + 1) / 2) * ((size.height + 1) / 2)
        }
    }

    /// Converts a frame of ``byteCount`` bytes to an RGB picture.
    ///
    /// Alpha is dropped; grey is copied to all three channels. YUV planes are converted by BT.601 with luma from 16 to
    /// 235, FFmpeg's default. Each chroma sample covers 2 × 2 pixels:
    ///
    ///     Y = (luma − 16) × 255 ÷ 219,  U = (Cb − 128) × 255 ÷ 224,  V = (Cr − 128) × 255 ÷ 224
    ///     R = Y + 1.402 V,  G = Y − 0.344136 U − 0.714136 V,  B = Y + 1.772 U
    package func image(_ bytes: [UInt8]) throws(ImageError) -> Image {
        switch pixels {
        case .rgb24: return try Image(width: size.width, height: size.height, pixels: bytes)
        case .bgr24: return try packed(bytes, stride: 3, red: 2, blue: 0)
        case .rgba: return try packed(bytes, stride: 4, red: 0, blue: 2)
        case .bgra: return try packed(bytes, stride: 4, red: 2, blue: 0)
        case .gray:
            return try Image(width: size.width, height: size.height, pixels: bytes.flatMap { [$0, $0, $0] })
        case .yuv420p: return try planar(bytes)
        }
    }

    private func packed(_ bytes: [UInt8], stride: Int, red: Int, blue: Int) throws(ImageError) -> Image {
        var target = [UInt8](repeating: 0, count: size.width * size.height * 3)
        for pixel in 0..<size.width * size.height {
            target[pixel * 3] = bytes[pixel * stride + red]
            target[pixel * 3 + 1] = bytes[pixel * stride + 1]
            target[pixel * 3 + 2] = bytes[pixel * stride + blue]
        }
        return try Image(width: size.width, height: size.height, pixels: target)
    }

    private func planar(_ bytes: [UInt8]) throws(ImageError) -> Image {
        let (width, height) = (size.width, size.height)
        let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        let blueStart = width * height
        let redStart = blueStart + chromaWidth * chromaHeight
        var target = [UInt8](repeating: 0, count: width * height * 3)
        for row in 0..<height {
            for column in 0..<width {
                let chroma = row / 2 * chromaWidth + column / 2
                let luma = (Float(bytes[row * width + column]) - 16) * (255 / 219)
                let blueDifference = (Float(bytes[blueStart + chroma]) - 128) * (255 / 224)
                let redDifference = (Float(bytes[redStart + chroma]) - 128) * (255 / 224)
                let pixel = (row * width + column) * 3
                target[pixel] = UInt8(clamped: luma + 1.402 * redDifference)
                target[pixel + 1] = UInt8(clamped: luma - 0.344136 * blueDifference - 0.714136 * redDifference)
                target[pixel + 2] = UInt8(clamped: luma + 1.772 * blueDifference)
            }
        }
        return try Image(width: width, height: height, pixels: target)
    }
}

extension UInt8 {
    /// The nearest whole number between 0 and 255.
    fileprivate init(clamped value: Float) { self = UInt8(Swift.min(255, Swift.max(0, value.rounded()))) }
}
