/// The meaning of a quantized value's integers: number = (integer − zero point) · scale.
public struct Quantization: Sendable, Hashable {
    /// One scale, or one for each slice along ``axis``.
    public var scales: [Float]
    /// One zero point for each scale.
    public var zeroPoints: [Int]
    /// The axis along which slices have their own scales; nil for a single scale.
    public var axis: Int?

    /// One scale and zero point for a whole value.
    public init(scale: Float, zeroPoint: Int) {
        scales = [scale]
        zeroPoints = [zeroPoint]
        axis = nil
    }

    /// Scales and zero points for the slices along an axis.
    public init(scales: [Float], zeroPoints: [Int], axis: Int?) {
        self.scales = scales
        self.zeroPoints = zeroPoints
        self.axis = axis
    }

    /// The scale of the whole value; nil when slices have their own.
    public var scale: Float? { scales.count == 1 ? scales[0] : nil }

    /// The zero point of the whole value; nil when slices have their own.
    public var zeroPoint: Int? { zeroPoints.count == 1 ? zeroPoints[0] : nil }
}

extension Quantization: CustomStringConvertible {
    public var description: String {
        guard let scale, let zeroPoint else {
            return "\(scales.count) scales along axis \(axis ?? 0)"
        }
        return "scale \(scale), zero point \(zeroPoint)"
    }
}
