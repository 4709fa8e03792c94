import Synchronization

/// A limit on the time for which the process runs. The time for which it is stopped, as by Ctrl-Z, does not count.
///
/// No clock of the system leaves out that time. So it is counted in steps, and a step that took much longer than it was
/// to take counts only in part: whoever waits asks at least once in a ``step``.
package final class RunningTime: Sendable {
    /// The limit.
    package let limit: Duration
    /// How often the time is to be asked for.
    package let step: Duration
    private let spent: Mutex<(sum: Duration, last: ContinuousClock.Instant)>

    /// Begins to count.
    package init(limit: Duration) {
        self.limit = limit
        step = min(max(limit / 40, .milliseconds(1)), .milliseconds(100))
        spent = Mutex((.zero, .now))
    }

    /// The time that is left; none or less once the limit is reached.
    package var left: Duration {
        spent.withLock { spent in
            let now = ContinuousClock.now
            spent.sum += min(now - spent.last, step * 4)
            spent.last = now
            return limit - spent.sum
        }
    }

    /// Whether the process has run for longer than the limit.
    package var isOver: Bool { left <= .zero }

    /// Waits until the limit is reached.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func wait() async throws {
        while true {
            let left = left
            guard left > .zero else { return }
            try await Task.sleep(for: min(left, step))
        }
    }
}
