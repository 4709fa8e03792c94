import Graphs
import Planning

/// What measuring a network's layers showed.
public struct TuningReport: Sendable, Codable {
    /// A lowering that was measured, or could be.
    public struct Candidate: Sendable, Codable {
        /// The backend, such as `cpu`.
        public let backend: String
        /// The lowering, such as `pointwise-gemm`.
        public let lowering: String
        /// Which way of the lowering it is, where there are several: the tiles of a product on a device.
        public let variant: String?
        /// The time for one image that lowerings are ranked by before they are measured, in microseconds on one thread.
        public let expectedMicroseconds: Double
        /// The shortest time measured for one image, in microseconds; nil when it was not measured.
        public let measuredMicroseconds: Double?
    }

    /// A kind of layer.
    public struct Layer: Sendable, Codable {
        /// The name of the first node.
        public let name: String
        /// How many nodes of the network are of the kind.
        public let count: Int
        /// The operator, with what is fused into it.
        public let `operator`: String
        /// The extents of the inputs.
        public let inputs: [[Int]]
        /// The extents of the outputs.
        public let outputs: [[Int]]
        /// The candidate that measured times choose, as an index into ``candidates``.
        public let chosen: Int
        /// The candidates, expected fastest first: without measured times the first would be chosen.
        public let candidates: [Candidate]
    }

    /// A candidate that is not used, because it gave wrong numbers or failed when it was to be measured.
    public struct Refusal: Sendable, Codable {
        /// The name of the first node of the kind.
        public let layer: String
        /// The backend, such as `opencl`.
        public let backend: String
        /// The lowering, and which way of it where there are several.
        public let lowering: String
        /// What it gave instead, or how it failed.
        public let reason: String
    }

    /// A candidate that was faster than what is expected to be fastest, but not when it was measured again; the longer of
    /// its times is kept.
    public struct Unconfirmed: Sendable, Codable {
        /// The name of the first node of the kind.
        public let layer: String
        /// The backend, such as `cpu`.
        public let backend: String
        /// The lowering, and which way of it where there are several.
        public let lowering: String
        /// The lowering that stays.
        public let favourite: String
        /// The part of the favourite's time that it saved at first.
        public let firstGain: Double
        /// The part that it saved when it was measured again; below 0 where it took longer.
        public let secondGain: Double
    }

    /// The model's name.
    public let model: String
    /// The threads that ran.
    public let threads: Int
    /// The images that were computed together.
    public let batch: Int
    /// The file that the times are kept in; nil when they are not kept.
    public let file: String?
    /// How many layers were measured now; the others were measured before.
    public internal(set) var measuredCount: Int
    /// Every kind of layer that has several candidates.
    public internal(set) var layers: [Layer]
    /// The candidates that were refused now.
    public let refusals: [Refusal]
    /// The choices that a second measurement did not make again: something else may use the machine.
    public let unconfirmed: [Unconfirmed]

    /// Microseconds that the layers take for one image, by expected and by measured choice, as measured.
    public var totals: (expectedChoice: Double, measuredChoice: Double) {
        layers.reduce((0, 0)) { sum, layer in
            guard let expected = layer.candidates.first?.measuredMicroseconds,
                let measured = layer.candidates[layer.chosen].measuredMicroseconds
            else { return sum }
            return (sum.0 + Double(layer.count) * expected, sum.1 + Double(layer.count) * measured)
        }
    }
}

extension TuningReport.Layer {
    package init(_ layer: TunableLayer) {
        name = layer.name
        count = layer.count
        `operator` = layer.operatorName
        inputs = layer.inputShapes
        outputs = layer.outputShapes
        chosen = layer.chosen
        candidates = layer.candidates.map {
            TuningReport.Candidate(
                backend: $0.backend, lowering: $0.lowering, variant: $0.variant, expectedMicroseconds: $0.expected,
                measuredMicroseconds: $0.measured?.microseconds)
        }
    }
}
