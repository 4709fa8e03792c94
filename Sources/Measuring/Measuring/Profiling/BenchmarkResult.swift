/// The times of one configuration.
public struct BenchmarkResult: Sendable, Codable {
    /// The configuration that was timed.
    public struct Configuration: Sendable, Codable {
        /// The name of the configuration in comparisons.
        public let name: String
        /// The requested backends, in order of preference; empty for all available ones.
        public let backends: [String]
        /// The devices of the backends that run layers, with versions of libraries and drivers.
        public let devices: [String]
        /// The number of images in a run. A network with a fixed batch of several images overrides the request.
        public let batch: Int
        /// The number of processor threads of all streams together.
        public let threads: Int
        /// The number of concurrent runs.
        public let streams: Int
        /// The format to which a GPU may round operands: `f32`, `tf32` or `f16`.
        public let precision: String
        /// The basis on which lowerings are chosen: `measured times` or `expected times`.
        public let choice: String
        /// The share of each backend in a run, longest time first.
        public let shares: [BackendShare]

        /// The shares of backends that run layers because the requested ones have no kernel for them, as in
        /// `reference 3 %` of the time; nil when there are none.
        public var leaning: String? {
            let others = shares.filter { !$0.isAskedFor }
            if others.isEmpty { return nil }
            return others.map { "\($0.backend) \(Figure.percent($0.time))" }.joined(separator: ", ")
        }
    }

    /// The share of one backend in a run.
    public struct BackendShare: Sendable, Codable, Hashable {
        /// The backend's name.
        public let backend: String
        /// Whether the backend was requested. If all may be used, every backend except the reference counts as
        /// requested.
        public let isAskedFor: Bool
        /// The number of layers that the backend runs, without those that take no time.
        public let layers: Int
        /// The share of the layers' time from 0 to 1, from the profile, or without one from the plan's expected times.
        public let time: Double
    }

    /// The runs until times were stable.
    public struct WarmUp: Sendable, Codable {
        /// The number of runs.
        public let runs: Int
        /// The total time in seconds.
        public let seconds: Double
        /// Whether the medians of the last three windows were within 10 %; otherwise the time limit ended the warm-up.
        public let isStable: Bool
    }

    /// The use of memory in bytes.
    public struct Memory: Sendable, Codable {
        /// The peak resident size of the process since the benchmark began; nil if the system does not report it.
        public let peakResidentBytes: Int?
        /// The size of the weights as they are in the model.
        public let weightBytes: Int
        /// The size of the values between layers, for each stream.
        public let arenaBytes: Int
        /// The size of the values between layers on a device, for each stream.
        public let deviceArenaBytes: Int
    }

    /// The model's name.
    public let model: String
    /// The version of Apus.
    public let version: String
    /// What was timed.
    public let configuration: Configuration
    /// The time to read the model and simplify the network, in seconds; nil when not measured.
    public let loadSeconds: Double?
    /// The time to start the session, in seconds: planning and packing weights.
    public let planSeconds: Double
    /// The time of the first run in seconds.
    public let firstRunSeconds: Double
    /// The warm-up; nil before it has run.
    public let warmUp: WarmUp?
    /// The statistics of run times; nil before any was measured.
    public let latency: TimeStatistics?
    /// The images per second over all streams and the whole measured time; nil before any run was measured.
    public let imagesPerSecond: Double?
    /// The median of each round's runs, in seconds.
    public let roundMedians: [Double]
    /// The use of memory.
    public let memory: Memory
    /// The limits of the processor with the same number of threads; nil when not measured.
    public let limits: MachineLimits?
    /// The limits of the device; nil without a device or when not measured.
    public let deviceLimits: MachineLimits?
    /// The profile of the runs; nil when not requested.
    public let profile: Profile?

    /// The reason why the times are unreliable, in words; nil when they are reliable.
    public let noise: String?

    /// - Parameter roundMedians: The median of each round.
    package static func noise(_ latency: TimeStatistics?, roundMedians: [Double]) -> String? {
        guard let latency else { return nil }
        if latency.p90 > 1.25 * latency.p50 {
            let percent = Int((100 * (latency.p90 / latency.p50 - 1)).rounded())
            return "one run in ten took \(percent) % longer than the median: something else uses the machine"
        }
        if let minimum = roundMedians.min(), let maximum = roundMedians.max(), maximum > 1.1 * minimum {
            let percent = Int((100 * (maximum / minimum - 1)).rounded())
            return "the median moved by \(percent) % while measuring: something else uses the machine"
        }
        return nil
    }
}
