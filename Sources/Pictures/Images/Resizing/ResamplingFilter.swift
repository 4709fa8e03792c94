import Glibc

/// The filter that computes a resized pixel from source pixels. Names and results are Pillow's; ``linear``, ``cubic``,
/// ``lanczos4`` and ``area`` are OpenCV's.
public enum ResamplingFilter: String, Sendable, CaseIterable {
    /// The pixel under the center.
    case nearest
    /// The mean of the pixels covered.
    case box
    /// Linear interpolation; when shrinking, all covered pixels count.
    case bilinear
    /// Linear interpolation of the four pixels around the center, even when shrinking: OpenCV's `INTER_LINEAR`.
    case linear
    /// Cubic convolution of the sixteen pixels around the center with a = -0.75, even when shrinking: OpenCV's
    /// `INTER_CUBIC`.
    case cubic
    /// A sinc windowed to four lobes over the 64 pixels around the center, even when shrinking: OpenCV's
    /// `INTER_LANCZOS4`.
    case lanczos4
    /// The mean of the pixels covered, each by its part; interpolated when an edge grows: OpenCV's `INTER_AREA`.
    case area
    /// A Hamming window, as wide as bilinear but sharper.
    case hamming
    /// Cubic convolution with a = -0.5.
    case bicubic
    /// A sinc windowed to three lobes.
    case lanczos

    /// The half width of the filter, in source pixels when enlarging and in target pixels when shrinking.
    var support: Double {
        switch self {
        case .nearest, .linear, .cubic, .lanczos4, .area: 0
        case .box: 0.5
        case .bilinear, .hamming: 1
        case .bicubic: 2
        case .lanczos: 3
        }
    }

    /// The weight at distance `x`, before weights are normalized.
    ///
    /// The constants of the Hamming window are single precision, as in Pillow.
    func weight(_ x: Double) -> Double {
        let distance = abs(x)
        switch self {
        case .nearest, .linear, .cubic, .lanczos4, .area:
            return 0
        case .box:
            return x > -0.5 && x <= 0.5 ? 1 : 0
        case .bilinear:
            return max(0, 1 - distance)
        case .hamming:
            if distance >= 1 { return 0 }
            let angle = distance * .pi
            let window = Double(Float(0.54)) + Double(Float(0.46)) * cos(angle)
            return distance == 0 ? 1 : sin(angle) / angle * window
        case .bicubic:
            if distance < 1 { return ((-0.5 + 2) * distance - (-0.5 + 3)) * distance * distance + 1 }
            return distance < 2 ? (((distance - 5) * distance + 8) * distance - 4) * -0.5 : 0
        case .lanczos:
            return x >= -3 && x < 3 ? Self.sinc(x) * Self.sinc(x / 3) : 0
        }
    }

    private static func sinc(_ x: Double) -> Double {
        x == 0 ? 1 : sin(x * .pi) / (x * .pi)
    }
}
