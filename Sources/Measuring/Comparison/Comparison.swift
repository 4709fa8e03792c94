/// What several configurations of one model have shown beside one another: time, memory, layers, and agreement.
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
    /// Images in a run that was timed.
    public let batch: Int
    /// The inputs that outputs were compared on.
    public let inputs: [String]
    /// Whether the inputs are random numbers, which say nothing about accuracy.
    public let isSeeded: Bool
    /// The largest relative error that still counts as agreement.
    public let tolerance: Double
    /// The configurations in the order given; ratios are to the first. What the planner would choose comes last when it is
    /// none of them.
    public let results: [ConfigurationResult]
    /// The position in ``results`` of what the planner chooses when it may use the backends of all configurations; nil when
    /// it was not asked.
    public let plannersChoice: Int?
    /// Whether that was added to the configurations that were given.
    public let isPlannersChoiceAdded: Bool
    /// The layers of the network, in the order of running.
    public let layers: [Layer]
    /// The values of the model's file that no configuration computes, since the rewrites fuse their operators into others.
    public let fusedValues: [String]
    /// What the outputs are compared with.
    public let reference: String

    /// Whether every configuration agrees with the reference.
    public var agrees: Bool { results.allSatisfy { $0.agreement?.agrees ?? true } }

    /// What one configuration has shown.
    public struct ConfigurationResult: Sendable, Encodable {
        /// The name that was given.
        public let name: String
        /// How it was run, how long that took, and where the time went.
        public let benchmark: BenchmarkResult
        /// How many times as long as the first configuration.
        public let ratio: Ratio
        /// How much the memory of the process grew while it started and ran once; nil where the system does not say.
        public let residentBytes: Int?
        /// How the outputs of its layers compare with the reference; nil when that was not asked for.
        public let agreement: AgreementSummary?
    }

    /// The time of a configuration divided by that of the first, round by round.
    public struct Ratio: Sendable, Hashable, Encodable {
        /// Of all rounds.
        public let median: Double
        /// One round in ten is lower.
        public let low: Double
        /// One round in ten is higher.
        public let high: Double
    }

    /// How a configuration agrees with the reference.
    public struct AgreementSummary: Sendable, Hashable, Encodable {
        /// The first layer whose output exceeds the tolerance; nil when none does.
        public let firstExceeding: String?
        /// The layers that exceed the tolerance though all that they read is within it: where errors begin.
        public let origins: [String]
        /// How many layers exceed the tolerance.
        public let exceedingCount: Int
        /// The layer with the largest relative error.
        public let worstLayer: String?
        /// The largest relative error of all layers.
        public let largestRelativeError: Double
        /// The inputs whose first class is another than the reference's; nil when the output is no list of classes.
        public let top1Changes: [String]?
        /// The inputs whose first five classes are others than the reference's; nil likewise.
        public let top5Changes: [String]?

        /// Whether no layer exceeds the tolerance and no input has another first class.
        public var agrees: Bool { exceedingCount == 0 && (top1Changes ?? []).isEmpty }
    }

    /// A layer of the network, with what each configuration makes of it.
    public struct Layer: Sendable, Encodable {
        /// The node's name.
        public let name: String
        /// The operator, with what is fused into it: `Conv + Relu`.
        public let `operator`: String
        /// The name of the value that it computes, by which configurations and reference are matched.
        public let value: String
        /// The extents of the value for the batch that was timed.
        public let shape: [Int]
        /// The layers whose values it reads.
        public let sources: [String]
        /// The nodes of the model's file that it stands for; none where the rewrites made a value that the file does not have.
        public let nodes: [String]
        /// How each of ``Comparison/results`` runs it; nil for a configuration that has no such layer.
        public let runs: [LayerRun?]
        /// How each of ``Comparison/results`` agrees with the reference; nil where the file has no such value.
        public let agreements: [Agreement?]
    }

    /// How a configuration runs a layer.
    public struct LayerRun: Sendable, Hashable, Encodable {
        /// The backend.
        public let backend: String
        /// The kernel, by its lowering's name.
        public let lowering: String
        /// How long it took in the mean.
        public let seconds: Double
        /// The part of the time that the machine's limits leave no way around; nil when it does nothing.
        public let peakFraction: Double?
        /// What of the machine binds it.
        public let bound: MachineLimits.Bound?
        /// Multiplications followed by an addition.
        public let multiplyAdds: Int
        /// Bytes of inputs, weights and outputs.
        public let bytes: Int
        /// The first of the layers that run strip by strip with it; nil when it runs by itself.
        public let stripsWith: String?
    }
}

extension Comparison {
    /// The position in ``results`` of the configuration with the most images in a second.
    public var fastest: Int {
        results.indices.max { results[$0].imagesPerSecond < results[$1].imagesPerSecond } ?? 0
    }

    /// What a layer would take less on the kernel that the planner chooses than in a configuration; nil where one has no
    /// such layer.
    public func saving(_ layer: Layer, in configuration: Int) -> Double? {
        guard let plannersChoice, let run = layer.runs[configuration], let choice = layer.runs[plannersChoice] else {
            return nil
        }
        return run.seconds - choice.seconds
    }
}

extension Comparison.ConfigurationResult {
    /// The name, with the backends that it leans on without having been asked to: `openblas (reference 3 %)`.
    public var label: String { benchmark.configuration.leaning.map { "\(name) (\($0))" } ?? name }
    /// The median time of a run.
    public var seconds: Double { benchmark.latency?.p50 ?? .infinity }
    /// Images in a second: at the median, or where runs proceed side by side over the whole time.
    public var imagesPerSecond: Double {
        let configuration = benchmark.configuration
        if configuration.streams > 1, let measured = benchmark.imagesPerSecond { return measured }
        return Double(configuration.batch) / seconds
    }
    /// Where the time went.
    public var profile: Profile? { benchmark.profile }
}
