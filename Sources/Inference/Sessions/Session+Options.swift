import CPUBackend
import Logging
import Tensors

extension Session {
    /// How a session runs its model.
    public struct Options: Sendable {
        /// The backends that may be used, in order of preference; empty means all that are present.
        ///
        /// The reference backend is always added last, so that every valid network runs.
        public var backends: [BackendName]
        /// The device of OpenCL, by its number in `apus devices` or a part of its name; nil for the best.
        public var device: String?
        /// What a GPU may round products to; float32 where it has no tensor cores for it, which ``Session/notices`` says.
        public var precision: Precision
        /// The processor threads of all streams together.
        public var threads: Int
        /// How many runs proceed side by side; each gets an equal share of the threads.
        public var streams: Int
        /// The most memory, in bytes, that tensors and plans of the process may hold.
        public var memoryBudget: MemoryBudget
        /// How much of its thread's time the loops of one run may take together; a network may hold one that never ends.
        public var loopDuration: Duration
        /// Where to find the measured times that layers are chosen by.
        /// ``Model/tune(options:batch:inputShapes:isRenewing:progress:)`` makes them. A session reads them once, when it
        /// starts.
        public var tuning: TuningSource
        /// Where it is said when a device fails and what is done then.
        public var logger: Logger
        /// What collects where the time of runs goes; nil for nothing.
        public var profiler: Profiler?

        /// Makes options.
        ///
        /// - Parameters:
        ///   - threads: Defaults to the processors this process may use: affinity and control group count.
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

        /// The processors this process may use.
        public static var availableThreads: Int { ProcessorInformation.availableCount }
    }
}
