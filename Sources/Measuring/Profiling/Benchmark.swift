import Inference
import Planning
import Platform
import Synchronization
import Tensors

/// One configuration of a model, made ready and timed in rounds, so that several can be timed in turns.
///
///     let benchmark = try await Benchmark(model, options: .init(batch: 8))
///     try await benchmark.warmUp()
///     try await benchmark.measure(for: .seconds(3))
///     print(benchmark.result.latency?.p50 ?? 0, "seconds")
///
/// Steps of one benchmark follow one another; those of several must not run at the same time, or they slow each other down.
public final class Benchmark: Sendable {
    /// What is timed, and how.
    public struct Options: Sendable {
        /// What tells it from others it is compared with.
        public var name: String
        /// Images in a run, unless the network is fixed to another number than 1.
        public var batch: Int
        /// How the session runs the model.
        public var session: Session.Options
        /// Which random numbers the inputs are, where none are given.
        public var seed: UInt64
        /// The inputs of every run, by name, instead of random numbers.
        public var inputs: [String: Tensor]?
        /// What the machine can do with the threads of the session; shown beside the times, and what profiles compare with.
        public var limits: MachineLimits?
        /// What the device of OpenCL can do, likewise.
        public var deviceLimits: MachineLimits?
        /// Backends that take the place of those that the options of the session name.
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
        /// Seconds of every run that was measured.
        package var times: [Double] = []
        var roundMedians: [Double] = []
        /// The time of all rounds.
        var measuredSeconds = 0.0
        package var profile: Profile?
        package var peakResidentBytes: Int?
    }

    public let options: Options
    /// The session that is timed.
    public let session: Session
    /// The inputs of every run, by name.
    public let inputs: [String: Tensor]
    /// The images that a run takes.
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
    ///   - loadSeconds: How long it took to make the model, for the result.
    ///   - trace: Where everything that happens is written to, from now on.
    /// - Throws: As ``Session/init(_:options:)`` and `predict(_:)` of ``Session``.
    public init(
        _ model: Model, options: Options = Options(), loadSeconds: Double? = nil, trace: Trace? = nil
    ) async throws(ApusError) {
        ProcessMemory.resetPeak()
        profiler = Profiler(name: options.name, trace: trace)
        // Without a trace nothing is recorded until a profile is asked for.
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
