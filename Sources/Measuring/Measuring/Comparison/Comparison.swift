/// The results of several configurations of one model: time, memory, layers and agreement with a reference.
///
///     let comparison = try await model.compare(
///         [.init("cpu", .init(backends: [.cpu])), .init("openblas", .init(backends: [.openblas]))])
///     print(comparison.results.map { ($0.name, $0.ratio.median) }, comparison.agrees)
///
/// Times are seconds.
public struct Comparison: Sendable {
    /// The model's name.
    public let model: String
    /// The version of Apus.
    public let version: String
    /// The number of images in a timed run.
    public let batch: Int
    /// The names of the inputs on which outputs were compared.
    public let inputs: [String]
    /// Whether the inputs are random numbers, which say nothing about accuracy.
    public let isSeeded: Bool
    /// The largest relative error that still counts as agreement.
    public let tolerance: Double
    /// The results of the configurations in the order given; ratios are to the first. The planner's choice follows if
    /// it differs from all of them.
    public let results: [ConfigurationResult]
    /// The index in ``results`` of what the planner chooses when it may use the backends of all configurations; nil
    /// when not requested.
    public let plannersChoice: Int?
    /// Whether the planner's choice was added to the given configurations.
    public let isPlannersChoiceAdded: Bool
    /// The layers of the network, in execution order.
    public let layers: [Layer]
    /// The values of the model's file that no configuration computes, because the rewrites fuse their operators into
    /// others.
    public let fusedValues: [String]
    /// A description of the reference.
    public let reference: String
    /// The results of other engines; ratios are to the first configuration.
    public internal(set) var peers: [PeerResult] = []

    /// Whether every configuration agrees with the reference.
    public var agrees: Bool { results.allSatisfy { $0.agreement?.agrees ?? true } }

    /// The results of one configuration.
    public struct ConfigurationResult: Sendable, Encodable {
        /// The name of the configuration.
        public let name: String
        /// The options, times and profile of the runs.
        public let benchmark: BenchmarkResult
        /// The ratio of its time to that of the first configuration.
        public let ratio: Ratio
        /// The growth of the process's memory in bytes while the session started and ran once; nil if the system does
        /// not report it.
        public let residentBytes: Int?
        /// The agreement of its layers' outputs with the reference; nil when outputs were not compared.
        public let agreement: AgreementSummary?
    }

    /// The time of a configuration divided by that of the first, round by round.
    public struct Ratio: Sendable, Hashable, Encodable {
        /// The median of all rounds.
        public let median: Double
        /// The ratio below which one round in ten lies.
        public let low: Double
        /// The ratio above which one round in ten lies.
        public let high: Double
    }

    /// The agreement of a configuration with the reference.
    public struct AgreementSummary: Sendable, Hashable, Encodable {
        /// The first layer whose output exceeds the tolerance; nil when none does.
        public let firstExceeding: String?
        /// The layers that exceed the tolerance although all their inputs are within it. Errors begin there.
        public let origins: [String]
        /// The number of layers that exceed the tolerance.
        public let exceedingCount: Int
        /// The layer with the largest relative error.
        public let worstLayer: String?
        /// The largest relative error of all layers.
        public let largestRelativeError: Double
        /// The inputs whose first class differs from the reference's; nil when the output is not a list of classes.
        public let top1Changes: [String]?
        /// The inputs whose first five classes differ from the reference's; nil when the output is not a list of
        /// classes.
        public let top5Changes: [String]?

        /// Whether no layer exceeds the tolerance and no input's first class differs.
        public var agrees: Bool { exceedingCount == 0 && (top1Changes ?? []).isEmpty }
    }

    /// A layer of the network, with its run in each configuration.
    public struct Layer: Sendable, Encodable {
        /// The node's name.
        public let name: String
        /// The operator, with the operators fused into it: `Conv + Relu`.
        public let `operator`: String
        /// The name of the value that the layer computes. It identifies the layer in all configurations and the
        /// reference.
        public let value: String
        /// The shape of the value for the timed batch.
        public let shape: [Int]
        /// The names of the layers whose values it reads.
        public let sources: [String]
        /// The nodes of the model's file that the layer replaces; empty for a value that only the rewrites introduced.
        public let nodes: [String]
        /// The layer's run in each of ``Comparison/results``; nil for a configuration without this layer.
        public let runs: [LayerRun?]
        /// The agreement of each of ``Comparison/results`` with the reference; nil when the file has no such value.
        public let agreements: [Agreement?]
    }

    /// The run of a layer in one configuration.
    public struct LayerRun: Sendable, Hashable, Encodable {
        /// The backend.
        public let backend: String
        /// The kernel, by its lowering's name.
        public let lowering: String
        /// The mean time in seconds.
        public let seconds: Double
        /// The shortest time that the machine's limits allow, divided by ``seconds``; nil for a layer without work.
        public let peakFraction: Double?
        /// The limit that binds the layer.
        public let bound: MachineLimits.Bound?
        /// The number of multiply-adds.
        public let multiplyAdds: Int
        /// The size of inputs, weights and outputs in bytes.
        public let bytes: Int
        /// The name of the first of the layers that run strip by strip together with this one; nil when it runs alone.
        public let stripsWith: String?
    }
}

extension Comparison {
    /// The index in ``results`` of the configuration with the most images per second.
    public var fastest: Int {
        results.indices.max { results[$0].imagesPerSecond < results[$1].imagesPerSecond } ?? 0
    }

    /// The seconds that the planner's kernel for a layer would save compared with a configuration; nil when either has
    /// no such layer.
    public func saving(_ layer: Layer, in configuration: Int) -> Double? {
        guard let plannersChoice, let run = layer.runs[configuration], let choice = layer.runs[plannersChoice] else {
            return nil
        }
        return run.seconds - choice.seconds
    }
}

extension Comparison.ConfigurationResult {
    /// The name, with the backends that run layers although they were not requested: `openblas (reference 3 %)`.
    public var label: String { benchmark.configuration.leaning.map { "\(name) (\($0))" } ?? name }
    /// The median time of a run in seconds.
    public var seconds: Double { benchmark.latency?.p50 ?? .infinity }
    /// The images per second, from the median time, or from the total time when runs are concurrent.
    public var imagesPerSecond: Double {
        let configuration = benchmark.configuration
        if configuration.streams > 1, let measured = benchmark.imagesPerSecond { return measured }
        return Double(configuration.batch) / seconds
    }
    /// The profile of the runs.
    public var profile: Profile? { benchmark.profile }
}
