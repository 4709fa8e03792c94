import CPUBackend
import Logging
import Tensors

extension Session {
    /// How a session runs its model.
    public struct Options: Sendable {
        /// The backends that may be used, in order of preference; empty for all that are available.
        ///
        /// The reference backend is always added last, so that every valid network runs.
        public var backends: [BackendName]
        /// The OpenCL device, by its number in `apus devices` or a part of its name; nil for the best.
        public var device: String?
        /// The precision to which operands of products may be rounded. Making a session for ``Precision/bf16`` fails
        /// where the processor does not multiply it. Without tensor cores for the precision, a GPU computes in float32,
        /// and ``Session/notices`` says so.
        public var precision: Precision
        /// The number of processor threads of all streams together.
        public var threads: Int
        /// The number of runs that proceed at the same time; each gets an equal share of the threads.
        public var streams: Int
        /// The maximum memory that tensors and plans of the process may hold, in bytes.
        public var memoryBudget: MemoryBudget
        /// The maximum time of its thread that all loops of one run may take together; a loop in a network may never
        /// end.
        public var loopDuration: Duration
        /// The source of measured times by which layers are chosen; `Model.tune` measures them. A session reads them
        /// once, when it starts.
        public var tuning: TuningSource
        /// The logger for failures of a device and what is done about them.
        public var logger: Logger
        /// The profiler that records where the time of runs goes; nil for none.
        public var profiler: Profiler?

        /// Makes options.
        ///
        /// - Parameters:
        ///   - threads: By default the number of processors that affinity and control group allow this process.
        ///   - streams: Defaults to 1, the least latency for one image.
        public init(
            backends: [BackendName] = [], device: String? = nil, threads: Int = Options.availableThreads,
            streams: Int = 1, precision: Precision = .f32, memoryBudget: MemoryBudget = .process,
            loopDuration: Duration = .seconds(4), tuning: TuningSource = .cached,
            logger: Logger = Logger(label: "apus"), profiler: Profiler? = nil
        ) {
            self.backends = backends
            self.device = device
            self.precision = precision
            self.logger = logger
            self.profiler = profiler
            self.threads = threads
            self.streams = streams
            self.memoryBudget = memoryBudget
            self.loopDuration = loopDuration
            self.tuning = tuning
        }

        /// The number of processors that this process may use.
        public static var availableThreads: Int { ProcessorInformation.availableCount }
    }
}
