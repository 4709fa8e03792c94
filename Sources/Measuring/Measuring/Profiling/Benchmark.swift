import Inference
import Models
import Planning
import Platform
import Synchronization
import Tensors

/// Times one configuration of a model in rounds, so that several configurations can take turns.
///
///     let benchmark = try await Benchmark(model, options: .init(batch: 8))
///     try await benchmark.warmUp()
///     try await benchmark.measure(for: .seconds(3))
///     print(benchmark.result.latency?.p50 ?? 0, "seconds")
///
/// Call the steps of a benchmark one after another. Do not run several benchmarks at the same time, because they slow
/// each other down.
public final class Benchmark: Sendable {
    /// The options of a benchmark.
    public struct Options: Sendable {
        /// The name of the configuration in comparisons.
        public var name: String
        /// The number of images in a run, unless the network has a fixed batch of several images.
        public var batch: Int
        /// The options of the session.
        public var session: Session.Options
        /// The seed of random inputs, which are used when ``inputs`` is nil.
        public var seed: UInt64
        /// The inputs of every run, by name, instead of random numbers.
        public var inputs: [String: Tensor]?
        /// The limits of the processor with the session's threads, which are reported and compared with profiles.
        public var limits: MachineLimits?
        /// The limits of the OpenCL device, which are reported and compared with profiles.
        public var deviceLimits: MachineLimits?
        /// The backends that replace those in ``session``; nil to keep them.
        package var selection: BackendSelection?

        /// Makes options.
        public init(
            name: String = "", batch: Int = 1, session: Session.Options = Session.Options(), seed: UInt64 = 0,
            inputs: [String: Tensor]? = nil, limits: MachineLimits? = nil, deviceLimits: MachineLimits? = nil
        ) {
            self.name = name
            self.batch = batch
            self.session = session
            self.seed = seed
            self.inputs = inputs
            self.limits = limits
            self.deviceLimits = deviceLimits
        }
    }

    package struct State {
        package var warmUp: BenchmarkResult.WarmUp?
        /// The time of every measured run in seconds.
        package var times: [Double] = []
        var roundMedians: [Double] = []
        /// The time of all rounds in seconds.
        var measuredSeconds = 0.0
        package var profile: Profile?
        package var peakResidentBytes: Int?
    }

    /// The options that the benchmark was made with.
    public let options: Options
    /// The session that is timed.
    public let session: Session
    /// The inputs of every run, by name.
    public let inputs: [String: Tensor]
    /// The number of images in a run.
    package let imageCount: Int
    package let plan: PlanDescription
    package let loadSeconds: Double?
    package let planSeconds: Double
    package let firstRunSeconds: Double
    package let profiler: Profiler
    package let state = Mutex(State())

    /// Starts a session, plans for the batch, and runs it once.
    ///
    /// - Parameters:
    ///   - loadSeconds: The time that loading the model took, for the result.
    ///   - trace: The trace that records all work from here on.
    /// - Throws: As ``Session/init(_:options:)`` and `predict(_:)`.
    public init(
        _ model: Model, options: Options = Options(), loadSeconds: Double? = nil, trace: Trace? = nil
    ) async throws(ApusError) {
        ProcessMemory.resetPeak()
        profiler = Profiler(name: options.name, trace: trace)
        // Without a trace nothing is recorded until a profile is requested.
        profiler.isRecording = trace != nil
        var sessionOptions = options.session
        sessionOptions.profiler = profiler
        if let given = options.inputs {
            inputs = given
        } else {
            inputs = try model.seededInputs(batch: options.batch, seed: options.seed)
        }
        let prepared = MonotonicTime.now
        let selection = try BackendSelection(options.session, unless: options.selection)
        session = try await Session(model, options: sessionOptions, selection: selection)
        imageCount = model.imageCount(ofInputs: try session.ordered(inputs).map(\.shape))
        plan = try await session.plan(forInputs: inputs)
        planSeconds = MonotonicTime.seconds(since: prepared)
        let planned = MonotonicTime.now
        _ = try await session.predict(inputs)
        firstRunSeconds = MonotonicTime.seconds(since: planned)
        self.options = options
        self.loadSeconds = loadSeconds
    }
}
