import Synchronization

extension BlockingExecutor {
    /// The time that the calling task has; nil where it has no limit of its own.
    @TaskLocal package static var time: RunningTime?

    /// When the time of the calling task ends, unless the process is stopped before; nil where it has no limit of its
    /// own.
    package static var deadline: ContinuousClock.Instant? { time.map { .now + $0.left } }

    /// Calls `body` on one of the threads, and waits for it no longer than `limit` once it has begun. Time for which
    /// the process is stopped does not count.
    ///
    /// A late thread is left to finish its call; until then another thread takes its place.
    ///
    /// - Returns: What `body` returns; nil when it is late.
    /// - Throws: `CancellationError` when the calling task is cancelled; what `body` throws.
    package func attempt<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value? {
        let race = Race<Value?>()
        let replacement = Replacement()
        let work = Task(executorPreference: self) { [self] in
            if Task.isCancelled {
                race.finish(.failure(CancellationError()))
                return
            }
            let time = RunningTime(limit: limit)
            let watch = Task {
                guard (try? await time.wait()) != nil else { return }
                replacement.begin(self)
                race.finish(.success(nil))
            }
            let result = Self.$time.withValue(time) { Result { try body() } }
            watch.cancel()
            replacement.end(self)
            race.finish(time.isOver ? .success(nil) : result.map(Optional.some))
        }
        return try await withTaskCancellationHandler {
            try await race.value
        } onCancel: {
            work.cancel()
            race.finish(.failure(CancellationError()))
        }
    }
}

/// The thread that takes the place of a late one.
private final class Replacement: Sendable {
    private enum State {
        case none, standsIn, over
    }

    private let state = Mutex(State.none)

    func begin(_ executor: BlockingExecutor) {
        state.withLock { state in
            if state == .none, executor.startThread() { state = .standsIn }
        }
    }

    func end(_ executor: BlockingExecutor) {
        state.withLock { state in
            if state == .standsIn { executor.endThread() }
            state = .over
        }
    }
}

/// A result that is set once, by the first task that has one.
private final class Race<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case over(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    func finish(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .over: return nil
            case .open:
                state = .over(result)
                return nil
            case .awaited(let continuation):
                state = .over(result)
                return continuation
            }
        }
        waiting?.resume(with: result)
    }

    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    if case .over(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }
}
