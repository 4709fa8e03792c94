/// Threads among which a step divides its work.
package protocol Workers: AnyObject, Sendable {
    /// The number of threads, the caller included.
    var count: Int { get }

    /// Calls `body` once for every index below `count`, on all threads, and returns when every call has returned.
    ///
    /// - Parameters:
    ///   - context: Handed to every call; valid until this function returns.
    ///   - body: Receives the context, the index, and the number of the thread (below `self.count`).
    func run(_ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction)

    /// Runs the calls in the same way and records when each thread worked on them.
    ///
    /// - Parameter spans: One for each thread; afterwards those of threads that did nothing have no pieces.
    func run(
        _ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction, _ spans: UnsafeMutablePointer<WorkSpan>)
}

/// When a thread worked on a job, in ``MonotonicTime``. It fills a cache line, since threads write adjacent spans.
package struct WorkSpan: BitwiseCopyable {
    package var start: Int64 = 0
    package var end: Int64 = 0
    package var pieceCount: Int64 = 0
    private var unused: (Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0)

    package init() {}
}

/// One piece of a step's work. Its arguments are the context, the index and the thread.
package typealias WorkerFunction = @convention(c) (UnsafeRawPointer, Int, Int) -> Void

/// Runs everything on the calling thread.
package final class SerialWorkers: Workers {
    package init() {}
    package var count: Int { 1 }
    package func run(_ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction) {
        for index in 0..<count { body(context, index, 0) }
    }
    package func run(
        _ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction, _ spans: UnsafeMutablePointer<WorkSpan>
    ) {
        spans.pointee.start = MonotonicTime.now
        run(count, context, body)
        spans.pointee.end = MonotonicTime.now
        spans.pointee.pieceCount = Int64(count)
    }
}
