import Inference

extension Model {
    /// How a network is quantized.
    public struct QuantizationOptions: Sendable {
        /// How many pictures of the dataset are looked at, from the first one on.
        public var imageCount = 128
        /// The part of a value's numbers that may lie beyond each end of its range.
        public var leftOut = 0.00001
        /// The part of pictures that should keep their best class, from 0 to 1, as
        /// ``QuantizationReport/expectedAgreement`` has it.
        public var leastAgreement = 0.97
        /// How many of the first convolutions and products stay as they are, and with them the last one.
        ///
        /// Nil tries none, one and more, up to a quarter of all, until ``leastAgreement`` is reached, and else takes what
        /// keeps the most answers: what is rounded first moves everything after it.
        public var floatLayerCount: Int?
        /// Whether the network finds objects, so that pictures are prepared as is customary for its decoder; nil as the model
        /// says.
        public var findsObjects: Bool?
        /// The extents of the input, by its name, where the network leaves the size of pictures open.
        public var inputShapes: [String: [Int]] = [:]
        /// How runs are made.
        public var session = Session.Options()

        /// Makes options.
        public init() {}
    }
}
