#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The limits on iterations and time of all loops of one run together, nested loops included.
///
/// It is used by one thread. Only the thread's processor time counts, so that other work of the machine ends no run.
package final class LoopAllowance {
    private let iterations: Int
    private let duration: Duration
    private var count = 0
    private var depth = 0
    /// The processor time of the loops that have ended.
    private var spent = Duration.zero
    /// The thread's processor time when the outermost loop began.
    private var start = Duration.zero

    package init(iterations: Int, duration: Duration) {
        self.iterations = iterations
        self.duration = duration
    }

    /// Calls `body`, which runs a loop, and measures its time.
    package func looping<Result>(_ body: () throws -> Result) rethrows -> Result {
        if depth == 0 { start = Self.processorTime }
        depth += 1
        defer {
            depth -= 1
            if depth == 0 { spent += Self.processorTime - start }
        }
        return try body()
    }

    /// Counts an iteration of a loop.
    ///
    /// - Throws: ``OperatorError/unsupported(_:)`` when there were too many iterations, or they took too long.
    package func step() throws(OperatorError) {
        count += 1
        guard count <= iterations else { throw .unsupported("loops with more than \(iterations) iterations in a run") }
        guard spent + Self.processorTime - start <= duration else {
            throw .unsupported("loops that take more than \(duration) in a run; there were \(count) iterations")
        }
    }

    /// The processor time of the calling thread.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
