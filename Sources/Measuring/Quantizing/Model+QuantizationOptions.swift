import Inference
import Models
import Platform

extension Model {
    /// The options of quantizing a network.
    public struct QuantizationOptions: Sendable {
        /// The number of pictures for calibration, from the start of the dataset.
        public var imageCount = 128
        /// The share of a value's elements that may lie beyond each end of its range.
        public var leftOut = 0.00001
        /// The minimum of ``QuantizationReport/expectedAgreement``, from 0 to 1: the expected share of pictures that
        /// keep their best class, or the mean average precision of a detector's boxes.
        public var minimumAgreement = 0.97
        /// The number of first convolutions and matrix products that stay in float32. If it is not 0, the last one does
        /// too.
        ///
        /// Nil tries 0, 1 and more, up to a quarter of all, until ``minimumAgreement`` is reached, or else uses the
        /// number with the highest agreement. The first layers matter most because their errors affect everything after
        /// them.
        public var floatLayerCount: Int?
        /// The names of further convolutions and matrix products that stay in float32.
        public var floatLayers: Set<String> = []
        /// Whether ``QuantizationReport/effects`` are measured, which runs the network as often as it has layers.
        public var measuresEffects = false
        /// How far large channels behind normalizations are balanced against the weights by which they are multiplied,
        /// from 0 to 1; nil leaves them as they are. Only transformers have such channels.
        public var balancing: Double? = 0.5
        /// Whether the network detects objects, so that pictures are prepared as usual for its decoder and boxes
        /// decide; nil to use the model's own setting, and best classes where no decoder reads the outputs.
        public var findsObjects: Bool?
        /// The shape of the input, by its name, if the network leaves the size of pictures open.
        public var inputShapes: [String: [Int]] = [:]
        /// The options of sessions.
        public var session = Session.Options()

        /// Makes options.
        public init() {}

        /// - Throws: ``ApusError/usage(_:)`` when a layer that should stay in float32 does not exist.
        func checkNames(among names: [String]) throws(ApusError) {
            guard let unknown = floatLayers.subtracting(names).min() else { return }
            throw .usage("no convolution or product that can be rounded has the name \(unknown.printable)")
        }
    }
}
