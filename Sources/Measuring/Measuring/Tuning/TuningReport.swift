import Graphs
import Planning

/// The result of measuring a network's layers.
public struct TuningReport: Sendable, Codable {
    /// A lowering that can run a layer, with its times.
    public struct Candidate: Sendable, Codable {
        /// The backend, such as `cpu`.
        public let backend: String
        /// The lowering, such as `pointwise-gemm`.
        public let lowering: String
        /// The variant of the lowering, if it has several: the tiles of a product on a device.
        public let variant: String?
        /// The expected time for one image on one thread, in microseconds, by which unmeasured lowerings are ranked.
        public let expectedMicroseconds: Double
        /// The shortest time measured for one image, in microseconds; nil when not measured.
        public let measuredMicroseconds: Double?
    }

    /// A kind of layer: layers with equal operators and shapes.
    public struct Layer: Sendable, Codable {
        /// The name of the first node.
        public let name: String
        /// The number of nodes of this kind in the network.
        public let count: Int
        /// The operator, with the operators fused into it.
        public let `operator`: String
        /// The shapes of the inputs.
        public let inputs: [[Int]]
        /// The shapes of the outputs.
        public let outputs: [[Int]]
        /// The index in ``candidates`` of the choice by measured times.
        public let chosen: Int
        /// The candidates in rising order of expected time. Without measured times the first is chosen.
        public let candidates: [Candidate]
    }

    /// A candidate that is not used because it gave wrong numbers or failed.
    public struct Refusal: Sendable, Codable {
        /// The name of the first node of the kind.
        public let layer: String
        /// The backend, such as `opencl`.
        public let backend: String
        /// The lowering, with its variant if it has several.
        public let lowering: String
        /// The wrong result or the failure.
        public let reason: String
    }

    /// A candidate that was faster than the one expected to be fastest, but not when measured again. The longer of its
    /// two times is stored.
    public struct Unconfirmed: Sendable, Codable {
        /// The name of the first node of the kind.
        public let layer: String
        /// The backend, such as `cpu`.
        public let backend: String
        /// The lowering, with its variant if it has several.
        public let lowering: String
        /// The lowering that remains chosen.
        public let favourite: String
        /// The share of the favourite's time that the candidate saved at first.
        public let firstGain: Double
        /// The share that it saved when measured again; negative if it took longer.
        public let secondGain: Double
    }

    /// The model's name.
    public let model: String
    /// The number of threads.
    public let threads: Int
    /// The number of images in a run.
    public let batch: Int
    /// The file in which the times are stored; nil when they are not stored.
    public let file: String?
    /// The number of layers measured in this call; the others have earlier times.
    public internal(set) var measuredCount: Int
    /// The kinds of layers that have several candidates.
    public internal(set) var layers: [Layer]
    /// The candidates that were refused in this call.
    public let refusals: [Refusal]
    /// The choices that a second measurement did not confirm, possibly because other work used the machine.
    public let unconfirmed: [Unconfirmed]

    /// The measured time of all layers for one image in microseconds, with the choices by expected and by measured
    /// times.
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
