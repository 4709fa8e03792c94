import Inference
import Tensors

extension Comparison {
    /// A named set of session options.
    ///
    ///     let configurations: [Comparison.Configuration] = [
    ///         .init("one", .init(backends: [.cpu], threads: 1)), .init("two", .init(backends: [.cpu], threads: 2)),
    ///     ]
    public struct Configuration: Sendable {
        /// The name in tables and pages.
        public var name: String
        /// The options of sessions. ``Session/Options/streams`` is taken as 1.
        public var options: Session.Options
        /// The backends that replace those in ``options``; nil to keep them.
        package var selection: BackendSelection?

        /// Makes a configuration.
        public init(_ name: String, _ options: Session.Options) {
            self.name = name
            self.options = options
            self.options.streams = 1
        }
    }

    /// The options of a comparison.
    public struct Options: Sendable {
        /// The number of images in a timed run.
        public var batch = 1
        /// The number of rounds; each configuration runs in every round.
        public var rounds = 10
        /// The time for each configuration in all rounds together, in seconds. Every configuration runs at least three
        /// times.
        public var seconds = 3.0
        /// The largest relative error that still counts as agreement; see ``Agreement``.
        public var tolerance = 1e-3
        /// Whether the outputs of layers are compared with the reference.
        public var comparesOutputs = true
        /// The seed of random inputs.
        public var seed: UInt64 = 0
        /// The shapes of random inputs for one image, by input name, for inputs whose extents the network leaves open.
        public var shapes: [String: [Int]] = [:]
        /// Whether the machine's limits are measured and compared with the layers.
        public var measuresLimits = true
        /// Other engines that run the same network in turns with the configurations.
        public var peers: [Peer] = []
        /// The path of the file that these engines read. Nil to write one: the network as ONNX.
        public var peerModel: String?
        /// The trace that records all runs; nil for none.
        public var trace: Trace?

        /// Makes options.
        public init() {}
    }

    /// An input on which outputs are compared.
    public struct Input: Sendable {
        /// The name of the input, unique among the inputs.
        public let id: String
        /// A tensor of one image for every input of the network, by name.
        public let tensors: [String: Tensor]

        /// Makes an input.
        public init(id: String, tensors: [String: Tensor]) {
            self.id = id
            self.tensors = tensors
        }
    }

    /// The current step of a comparison.
    public enum Progress: Sendable {
        /// The machine's limits are measured.
        case measuringLimits
        /// A session is started.
        case starting(configuration: String)
        /// Configurations are timed.
        case timing(round: Int, of: Int)
        /// Other engines are started, and load the network.
        case startingPeers
        /// The layers of a configuration are timed.
        case profiling(configuration: String)
        /// Outputs are compared.
        case comparing(input: Int, of: Int)
    }
}
