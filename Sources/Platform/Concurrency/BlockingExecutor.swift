import Foundation

/// Threads that run tasks which block or compute for long, so that Swift's cooperative pool stays free.
///
/// The threads end when the executor is released.
package final class BlockingExecutor: TaskExecutor, SerialExecutor {
    /// Whose jobs an executor runs.
    package enum Role {
        /// The jobs of an actor, one after another.
        case actor
        /// The jobs of tasks that prefer the executor, on so many threads side by side.
        case tasks(threadCount: Int)
    }

    private let queue = JobQueue()
    private let name: String
    private let isSerial: Bool

    /// Starts threads called `name`.
    ///
    /// - Throws: ``ApusError/memory(_:)`` when the system refuses them.
    package init(name: String, role: Role) throws(ApusError) {
        let threadCount: Int
        switch role {
        case .actor: (isSerial, threadCount) = (true, 1)
        case .tasks(let count): (isSerial, threadCount) = (false, max(1, count))
        }
        self.name = name
        for _ in 0..<threadCount {
            guard startThread() else {
                queue.close()
                throw .memory("the system could not start the thread \"\(name)\"")
            }
        }
    }

    /// Whether the system could start one more thread.
    func startThread() -> Bool {
        let executor = Reference(self)
        return DetachedThread.start(name: name) { [queue, isSerial] in
            while let job = queue.next() {
                // A waiting job keeps its actor or task alive, and that the executor.
                guard let executor = executor.object else { return }
                if isSerial {
                    job.runSynchronously(on: executor.asUnownedSerialExecutor())
                } else {
                    job.runSynchronously(on: executor.asUnownedTaskExecutor())
                }
                // The job may have held the last reference to it.
                withExtendedLifetime(executor) {}
            }
        }
    }

    /// Ends one thread when it has nothing to do.
    func endThread() { queue.dismissThread() }

    /// Does not keep the executor alive, so that its threads can end.
    private final class Reference: @unchecked Sendable {
        private(set) weak var object: BlockingExecutor?
        init(_ object: BlockingExecutor) { self.object = object }
    }

    deinit { queue.close() }

    package func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job))
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

extension BlockingExecutor {
    /// Calls `body` on one of the threads, for an executor of tasks.
    ///
    /// - Throws: `CancellationError` when the calling task is cancelled before a thread is free; what `body` throws.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let task = Task(executorPreference: self) {
            try Task.checkCancellation()
            return try body()
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// The waiting jobs of an executor, shared with its threads.
private final class JobQueue: @unchecked Sendable {
    // Everything is guarded by `condition`.
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []
    private var first = 0
    private var isClosed = false
    private var dismissedThreads = 0

    /// One thread that asks for a job gets none.
    func dismissThread() {
        condition.withLock { dismissedThreads += 1 }
        condition.signal()
    }

    func append(_ job: UnownedJob) {
        condition.withLock { jobs.append(job) }
        condition.signal()
    }

    func close() {
        condition.withLock { isClosed = true }
        condition.broadcast()
    }

    /// Waits for a job; nil once the queue is closed and empty.
    func next() -> UnownedJob? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if dismissedThreads > 0 {
                dismissedThreads -= 1
                // The signal may have been meant for a job.
                condition.signal()
                return nil
            }
            if first < jobs.count { break }
            if isClosed { return nil }
            condition.wait()
        }
        let job = jobs[first]
        first += 1
        // Half of the array at a time, so that one job costs O(1) also when the queue is never empty.
        if first * 2 >= jobs.count {
            jobs.removeFirst(first)
            first = 0
        }
        return job
    }
}
