import CPUBackend
import Planning
import Synchronization
import Tensors

/// One run at a time, on a thread and with memory of its own.
actor ExecutionStream {
    private let executor: BlockingExecutor
    private let execution: Execution
    private let workerCount: Int
    /// The stream's place among those of its session.
    private let number: Int
    /// Made when it is first needed.
    private var recorder: RunRecorder?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Throws: ``ApusError/memory(_:)`` when the system refuses the threads.
    init(threadCount: Int, number: Int, budget: MemoryBudget) throws(ApusError) {
        guard let workers = ThreadPool(count: threadCount) else {
            throw .memory("the system could not start \(threadCount) threads")
        }
        executor = try BlockingExecutor(name: "apus-stream", role: .actor)
        execution = Execution(workers: workers, budget: budget)
        workerCount = workers.count
        self.number = number
    }

    /// Makes or finds a plan by `makePlan` and runs it.
    ///
    /// - Parameter profiler: What wants a recording; nil when nothing does.
    func run(
        inputs: [Tensor], cancellation: CancellationFlag, loops: LoopLimits, profiler: Profiler? = nil,
        makePlan: @Sendable () throws(PlanningError) -> Executable
    ) throws(PlanningError) -> (outputs: [Tensor], recording: RecordedRun?) {
        if cancellation.isSet { throw .cancelled }
        begin(profiler)
        defer { execution.recorder = nil }
        let outputs = try execution.run(try makePlan(), inputs: inputs, cancellation: cancellation, loops: loops)
        return (outputs, execution.recorder.map { RecordedRun(records: $0.takeRecords(), stream: number) })
    }

    private func begin(_ profiler: Profiler?) {
        guard let profiler else { return }
        let recorder =
            recorder ?? RunRecorder(threadCount: workerCount, keepsSlices: profiler.trace != nil)
        // What an earlier run left that ended with an error.
        _ = recorder.takeRecords()
        self.recorder = recorder
        execution.recorder = recorder
    }

    /// Makes a plan and takes its memory.
    func prepare(
        _ makePlan: @Sendable () throws(PlanningError) -> Executable
    ) throws(PlanningError) -> Executable {
        let plan = try makePlan()
        try execution.prepare(for: plan)
        return plan
    }
}
