import Planning

/// What choosing precisions found.
public struct PrecisionReport: Sendable, Codable {
    /// A layer that kernels of 16 bits can compute.
    public struct Layer: Sendable, Codable {
        /// The name.
        public let name: String
        /// The operator, with those that are fused into it.
        public let `operator`: String
        /// Whether the layer is computed in ``PrecisionReport/precision``.
        public let isRounded: Bool
        /// The largest relative error of the outputs when this layer alone is rounded; nil where it was not
        /// measured, because all layers together stayed within the tolerance.
        public let error: Double?
        /// The expected time that rounding saves for one image on one thread, in microseconds.
        public let savedMicroseconds: Double
    }

    /// The model's name.
    public let model: String
    /// What layers are rounded to: `bf16`, or `f16` where the processor multiplies it faster.
    public let precision: String
    /// The number of pictures.
    public let pictures: Int
    /// The largest relative error of the outputs that was allowed.
    public let tolerance: Double
    /// The least agreement that was allowed.
    public let minimumAgreement: Double
    /// The largest relative error of the outputs with the chosen layers rounded.
    public let error: Double
    /// The share of pictures that keep their best class, or for a detector the mean average precision of its boxes when
    /// those in float32 count as marked; nil for other networks.
    public let agreement: Double?
    /// Whether the agreement is that of boxes.
    public let comparesBoxes: Bool
    /// The largest relative error of the outputs with all layers rounded.
    public let errorOfAll: Double
    /// The file that keeps the choice; nil where none does.
    public let file: String?
    /// The layers, in the order in which they run.
    public let layers: [Layer]

    /// The number of layers that are rounded.
    public var roundedCount: Int { layers.count(where: \.isRounded) }
}

/// The progress of choosing precisions.
public enum PrecisionProgress: Sendable {
    /// The network runs in float32.
    case reference
    /// A layer alone is rounded.
    case layer(number: Int, of: Int, name: String)
    /// A number of layers together are rounded.
    case layers(count: Int, of: Int)
}
