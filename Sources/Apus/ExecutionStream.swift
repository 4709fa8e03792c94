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
        executor = BlockingExecutor(name: "apus-stream")
        execution = Execution(workers: workers, budget: budget)
    }

    /// Makes or finds a plan by `makePlan` and runs it.
    func run(
        inputs: [Tensor], cancellation: CancellationFlag, makePlan: @Sendable () throws(PlanningError) -> Plan
    ) throws(PlanningError) -> [Tensor] {
        if cancellation.isSet { throw .cancelled }
        return try execution.run(try makePlan(), inputs: inputs, cancellation: cancellation)
    }

    /// Makes a plan and takes its memory.
    func prepare(_ makePlan: @Sendable () throws(PlanningError) -> Plan) throws(PlanningError) -> Plan {
        let plan = try makePlan()
        try execution.prepare(for: plan)
        return plan
    }
}

/// Hands streams out to tasks, in the order in which they ask.
final class StreamPool: Sendable {
    private struct State {
        var free: [ExecutionStream]
        var waiting: [(id: Int, continuation: CheckedContinuation<ExecutionStream?, Never>)] = []
        var nextID = 0
    }

    private let state: Mutex<State>

    init(_ streams: [ExecutionStream]) { state = Mutex(State(free: streams)) }

    /// Calls `body` with a stream that no one else uses meanwhile.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; what `body` throws.
    func withStream<Result: Sendable>(
        _ body: @Sendable (ExecutionStream) async throws -> Result
    ) async throws -> Result {
        guard let stream = await take() else { throw CancellationError() }
        defer { give(stream) }
        return try await body(stream)
    }

    private func take() async -> ExecutionStream? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isReady, stream) = state.withLock { state -> (Bool, ExecutionStream?) in
                    // The flag is set before the handler below runs, so one of the two sees the other.
                    if Task.isCancelled { return (true, nil) }
                    if let stream = state.free.popLast() { return (true, stream) }
                    state.waiting.append((id, continuation))
                    return (false, nil)
                }
                if isReady { continuation.resume(returning: stream) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            waiter?.resume(returning: nil)
        }
    }

    private func give(_ stream: ExecutionStream) {
        let next = state.withLock { state -> CheckedContinuation<ExecutionStream?, Never>? in
            if state.waiting.isEmpty {
                state.free.append(stream)
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: stream)
    }
}
