import CPUBackend
import Planning
import Platform
import Synchronization
import Tensors

/// A stream, which runs one plan at a time with workers and memory of its own.
///
/// A call takes it from the session's pool and uses it alone, on ``thread`` or on the calling thread.
final class ExecutionStream: @unchecked Sendable {
    struct Result: Sendable {
        let outputs: [Tensor]
        /// Nil when there is no profiler that records.
        let recording: ProfiledCall?
    }

    /// The thread for callers that must not block theirs.
    let thread: ExecutionThread
    private let execution: Execution
    private let workerCount: Int
    /// The stream's number in its session, from 0.
    private let number: Int
    /// The recorder, made when it is first needed.
    private var recorder: TimelineRecorder?

    /// Starts the threads of a stream.
    ///
    /// - Throws: ``ApusError/memory(_:)`` when the system refuses the threads.
    init(threadCount: Int, number: Int, budget: MemoryBudget) throws(ApusError) {
        guard let workers = ThreadPool(count: threadCount) else {
            throw .memory("the system could not start \(threadCount) threads")
        }
        thread = try ExecutionThread()
        execution = Execution(workers: workers, budget: budget)
        workerCount = workers.count
        self.number = number
    }

    /// Runs a plan.
    ///
    /// - Parameter profiler: The profiler that records the run, if any.
    func run(
        _ plan: Executable, inputs: [Tensor], cancellation: CancellationFlag, loops: LoopLimits,
        profiler: Profiler? = nil
    ) throws(PlanningError) -> Result {
        begin(profiler)
        defer { execution.recorder = nil }
        let outputs = try execution.run(plan, inputs: inputs, cancellation: cancellation, loops: loops)
        return Result(
            outputs: outputs,
            recording: execution.recorder.map { ProfiledCall(records: $0.takeRecords(), stream: number) })
    }

    private func begin(_ profiler: Profiler?) {
        guard let profiler else { return }
        let recorder =
            recorder ?? TimelineRecorder(threadCount: workerCount, keepsSlices: profiler.trace != nil)
        // An earlier run that ended with an error may have left records.
        _ = recorder.takeRecords()
        self.recorder = recorder
        execution.recorder = recorder
    }

    /// Takes the memory that a plan needs.
    func prepare(for plan: Executable) throws(PlanningError) { try execution.prepare(for: plan) }
}

/// An actor with a thread of its own.
actor ExecutionThread {
    private let executor: BlockingExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Starts the thread.
    ///
    /// - Throws: ``ApusError/memory(_:)`` when the system refuses the thread.
    init() throws(ApusError) { executor = try BlockingExecutor(name: "apus-stream", role: .actor) }

    func perform<Result: Sendable>(
        _ body: @Sendable () throws(PlanningError) -> Result
    ) throws(PlanningError) -> Result { try body() }
}
