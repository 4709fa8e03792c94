import CPUBackend
import Planning
import Synchronization
import Tensors

/// One run at a time, on a thread and with memory of its own.
actor ExecutionStream {
    private let executor: BlockingExecutor
    private let execution: Execution

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Throws: ``ApusError/memory(_:)`` when the system refuses the threads.
    init(threadCount: Int, budget: MemoryBudget) throws(ApusError) {
        guard let workers = ThreadPool(count: threadCount) else {
            throw .memory("the system could not start \(threadCount) threads")
        }
        executor = try BlockingExecutor(name: "apus-stream", role: .actor)
        execution = Execution(workers: workers, budget: budget)
    }

    /// Makes or finds a plan by `makePlan` and runs it.
    func run(
        inputs: [Tensor], cancellation: CancellationFlag, loops: LoopLimits,
        makePlan: @Sendable () throws(PlanningError) -> Executable
    ) throws(PlanningError) -> [Tensor] {
        if cancellation.isSet { throw .cancelled }
        return try execution.run(try makePlan(), inputs: inputs, cancellation: cancellation, loops: loops)
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
