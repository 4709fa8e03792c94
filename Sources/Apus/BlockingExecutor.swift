import Foundation

/// Threads that run tasks which block or compute for long, so that Swift's cooperative pool stays free.
///
/// With one thread it is the serial executor of an actor; with more, tasks prefer it and run side by side. The threads
/// end when the executor is released.
final class BlockingExecutor: TaskExecutor, SerialExecutor {
    /// The waiting jobs, shared with the threads.
    private final class Queue: @unchecked Sendable {
        // Everything is guarded by `condition`.
        private let condition = NSCondition()
        private var jobs: [UnownedJob] = []
        private var first = 0
        private var isClosed = false

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
            while first == jobs.count {
                if isClosed { return nil }
                condition.wait()
            }
            let job = jobs[first]
            first += 1
            if first == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                first = 0
            }
            return job
        }
    }

    private let queue = Queue()
    private let isSerial: Bool

    /// Starts `threadCount` threads called `name`.
    init(name: String, threadCount: Int = 1) {
        isSerial = threadCount == 1
        let executor = Reference(self)
        for _ in 0..<max(1, threadCount) {
            let thread = Thread { [queue, isSerial] in
                while let job = queue.next() {
                    // A waiting job keeps its actor or task alive, and that the executor.
                    guard let executor = executor.object else { return }
                    if isSerial {
                        job.runSynchronously(on: executor.asUnownedSerialExecutor())
                    } else {
                        job.runSynchronously(on: executor.asUnownedTaskExecutor())
                    }
                }
            }
            thread.name = name
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Does not keep the executor alive, so that its threads can end.
    private final class Reference: @unchecked Sendable {
        private(set) weak var object: BlockingExecutor?
        init(_ object: BlockingExecutor) { self.object = object }
    }

    deinit { queue.close() }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
