import CPUKernels
import Planning

/// Threads that share the work of a step, one run at a time. An idle pool sleeps.
package final class ThreadPool: Workers {
    private let pool: OpaquePointer

    /// The number of threads that take part, the caller included.
    package let count: Int

    /// Starts `count − 1` threads; the caller of ``run(_:_:_:)`` is the first.
    ///
    /// - Returns: nil when the system refuses to start them.
    package init?(count: Int) {
        guard count >= 1, count <= 1024, let pool = apus_thread_pool_create(count) else { return nil }
        self.pool = pool
        self.count = count
    }

    deinit { apus_thread_pool_destroy(pool) }

    package func run(_ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction) {
        apus_thread_pool_run(pool, count, context, body, nil)
    }

    package func run(
        _ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction, _ spans: UnsafeMutablePointer<WorkSpan>
    ) {
        spans.withMemoryRebound(to: apus_work_span.self, capacity: self.count) {
            apus_thread_pool_run(pool, count, context, body, $0)
        }
    }
}

extension ThreadPool: @unchecked Sendable {}

extension Workers {
    /// Calls `body` for every index below `count`, with a copy of `arguments` as its context.
    func run<Arguments: BitwiseCopyable>(_ count: Int, _ arguments: Arguments, _ body: WorkerFunction) {
        withUnsafePointer(to: arguments) { run(count, UnsafeRawPointer($0), body) }
    }
}
