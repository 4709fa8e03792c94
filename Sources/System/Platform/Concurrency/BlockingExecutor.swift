/// Threads that run tasks which block or compute for long, so that Swift's cooperative pool stays free.
///
/// The threads end when the executor is released.
package final class BlockingExecutor: TaskExecutor, SerialExecutor {
    /// The kind of jobs that an executor runs.
    package enum Role {
        /// The jobs of an actor, one after another.
        case actor
        /// The jobs of tasks that prefer the executor, on `threadCount` threads at a time.
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

    /// Starts one more thread, and returns whether the system could.
    func startThread() -> Bool {
        let executor = Reference(self)
        return DetachedThread.start(name: name) { [queue, isSerial] in
            while let job = queue.next() {
                // A waiting job keeps its actor or task alive, which keeps the executor alive.
                guard let executor = executor.object else { return }
                if isSerial {
                    job.runSynchronously(on: executor.asUnownedSerialExecutor())
                } else {
                    job.runSynchronously(on: executor.asUnownedTaskExecutor())
                }
                // The job may have held the last reference to the executor.
                withExtendedLifetime(executor) {}
            }
        }
    }

    /// Ends one thread as soon as it has no job.
    func endThread() { queue.dismissThread() }

    /// A weak reference to the executor, so that its threads can end.
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
    /// Calls `body` on one of the threads of an executor of tasks.
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
    private let condition = Condition()
    private var jobs: [UnownedJob] = []
    private var first = 0
    private var isClosed = false
    private var dismissedThreads = 0

    /// Ends the next thread that asks for a job.
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
                // The signal may have announced a job, so it is passed on.
                condition.signal()
                return nil
            }
            if first < jobs.count { break }
            if isClosed { return nil }
            condition.wait()
        }
        let job = jobs[first]
        first += 1
        // Removing half of the array at a time keeps the cost of a job at O(1), even when the queue is never empty.
        if first * 2 >= jobs.count {
            jobs.removeFirst(first)
            first = 0
        }
        return job
    }
}
