/// What timing one configuration showed.
public struct BenchmarkResult: Sendable, Codable {
    /// How it was run.
    public struct Configuration: Sendable, Codable {
        /// What tells it from others it is compared with.
        public let name: String
        /// The backends that were asked for, in order of preference; empty for all that are present.
        public let backends: [String]
        /// The devices of the backends that run layers, with versions of libraries and drivers.
        public let devices: [String]
        /// The images that a run took, which is not what was asked for where the network is fixed to another number than 1.
        public let batch: Int
        /// Processor threads of all streams together.
        public let threads: Int
        /// Runs side by side.
        public let streams: Int
        /// What a GPU may round operands to: `f32`, `tf32` or `f16`.
        public let precision: String
        /// How layers are chosen: `measured times` or `expected times`.
        public let choice: String
        /// What each backend does in a run, that with the most time first.
        public let shares: [BackendShare]

        /// What runs on backends that were not asked for, because those that were have no kernel for it: `reference 3 %`
        /// of the time; nil when nothing does.
        public var leaning: String? {
            let others = shares.filter { !$0.isAskedFor }
            if others.isEmpty { return nil }
            return others.map { "\($0.backend) \(Figure.percent($0.time))" }.joined(separator: ", ")
        }
    }

    /// What one backend does in a run.
    public struct BackendShare: Sendable, Codable, Hashable {
        /// The backend's name.
        public let backend: String
        /// Whether it is among those that were asked for; where all may be used, whether it is another than the reference.
        public let isAskedFor: Bool
        /// The layers that it runs, without those that cost nothing.
        public let layers: Int
        /// The part of the layers' time from 0 to 1: as profiled, or as the plan expects where nothing was.
        public let time: Double
    }

    /// How long it took until times were stable.
    public struct WarmUp: Sendable, Codable {
        /// How many runs there were.
        public let runs: Int
        /// How long they took together.
        public let seconds: Double
        /// Whether the last three windows of runs agreed within a tenth; otherwise the limit ended it.
        public let isStable: Bool
    }

    /// Memory in bytes.
    public struct Memory: Sendable, Codable {
        /// The most that the process had in memory since the benchmark began; nil where the system does not say.
        public let peakResidentBytes: Int?
        /// The network's weights as the model has them.
        public let weightBytes: Int
        /// Values between layers, for each stream.
        public let arenaBytes: Int
        /// Values between layers on a device, for each stream.
        public let deviceArenaBytes: Int
    }

    /// The model's name.
    public let model: String
    /// The version of Apus.
    public let version: String
    public let configuration: Configuration
    /// How long it took to read the model and simplify the network; nil when somebody else did.
    public let loadSeconds: Double?
    /// How long it took to start the session: planning, and rearranging weights.
    public let planSeconds: Double
    /// How long the first run took.
    public let firstRunSeconds: Double
    /// The warm-up; nil before it.
    public let warmUp: WarmUp?
    /// How long runs took; nil before any was measured.
    public let latency: TimeStatistics?
    /// Images in a second, over the whole time of measuring and all streams; nil before.
    public let imagesPerSecond: Double?
    /// The median of each round's runs, in seconds.
    public let roundMedians: [Double]
    public let memory: Memory
    /// What the machine can do with as many threads; nil where it was not measured.
    public let limits: MachineLimits?
    /// What the device can do; nil where there is none or it was not measured.
    public let deviceLimits: MachineLimits?
    /// Where the time went; nil when that was not asked for.
    public let profile: Profile?

    /// Why the times are not to be trusted, in words; nil when they may be.
    public let noise: String?

    /// - Parameter roundMedians: The median of each round.
    package static func noise(_ latency: TimeStatistics?, roundMedians: [Double]) -> String? {
        guard let latency else { return nil }
        if latency.p90 > 1.25 * latency.p50 {
            let percent = Int((100 * (latency.p90 / latency.p50 - 1)).rounded())
            return "one run in ten took \(percent) % longer than the median: something else uses the machine"
        }
        if let least = roundMedians.min(), let most = roundMedians.max(), most > 1.1 * least {
            let percent = Int((100 * (most / least - 1)).rounded())
            return "the median moved by \(percent) % while measuring: something else uses the machine"
        }
        return nil
    }
}
