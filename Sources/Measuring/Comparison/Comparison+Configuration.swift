import Inference
import Tensors

extension Comparison {
    /// A way to run a model, with a name.
    ///
    ///     let configurations: [Comparison.Configuration] = [
    ///         .init("one", .init(backends: [.cpu], threads: 1)), .init("two", .init(backends: [.cpu], threads: 2)),
    ///     ]
    public struct Configuration: Sendable {
        /// What tables and pages call it.
        public var name: String
        /// How sessions run. ``Session/Options/streams`` is taken as 1.
        public var options: Session.Options
        /// Backends that take the place of those that the options name.
        package var selection: BackendSelection?

        /// Makes a configuration.
        public init(_ name: String, _ options: Session.Options) {
            self.name = name
            self.options = options
            self.options.streams = 1
        }
    }

    /// How a comparison is made.
    public struct Options: Sendable {
        /// Images in a run that is timed.
        public var batch = 1
        /// How many times every configuration has its turn.
        public var rounds = 10
        /// How long each configuration runs, all rounds together; a slow one runs at least three times.
        public var seconds = 3.0
        /// The largest relative error that still counts as agreement; see ``Agreement``.
        public var tolerance = 1e-3
        /// Whether the outputs of layers are compared with the reference.
        public var comparesOutputs = true
        /// What random inputs follow from.
        public var seed: UInt64 = 0
        /// The extents of random inputs that the network leaves open, by name, for one image.
        public var shapes: [String: [Int]] = [:]
        /// Whether the machine's limits are measured, for layers to be compared with.
        public var measuresLimits = true
        /// Where all runs are written to.
        public var trace: Trace?

        /// Makes options.
        public init() {}
    }

    /// What outputs are compared on.
    public struct Input: Sendable {
        /// Unique among the inputs.
        public let id: String
        /// A tensor of one image for every input of the network, by name.
        public let tensors: [String: Tensor]

        /// Makes an input.
        public init(id: String, tensors: [String: Tensor]) {
            self.id = id
            self.tensors = tensors
        }
    }

    /// What is done at the moment.
    public enum Progress: Sendable {
        /// The machine's limits are measured.
        case measuringLimits
        /// A session is started.
        case starting(configuration: String)
        /// Configurations are timed.
        case timing(round: Int, of: Int)
        /// The layers of a configuration are timed.
        case profiling(configuration: String)
        /// Outputs are compared.
        case comparing(input: Int, of: Int)
    }
}
