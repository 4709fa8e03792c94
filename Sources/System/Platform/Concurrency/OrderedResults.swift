import Synchronization

/// The results of an asynchronous computation over a sequence, by default in the sequence's order.
///
/// Elements are taken from the sequence before the loop asks for their results. Only a stated number may be in flight,
/// which includes finished results that were not asked for yet; so memory does not grow with the sequence. Leaving the
/// loop cancels the work in flight.
public struct OrderedResults<Output: Sendable>: AsyncSequence, Sendable {
    private let start: @Sendable () -> Iterator

    /// Makes the results of the elements of `base`.
    ///
    /// - Parameters:
    ///   - limit: How many elements may be in flight.
    ///   - isOrdered: Whether results come in the sequence's order; otherwise as they are ready.
    ///   - transform: Computes an element's result, while others are computed. An error that it throws ends the
    ///     sequence.
    package init<Base: AsyncSequence & Sendable>(
        of base: Base, limit: Int, isOrdered: Bool = true,
        _ transform: @escaping @Sendable (Base.Element) async throws -> Output
    ) where Base.Element: Sendable {
        start = { Iterator(Ahead(base, limit: Swift.max(1, limit), isOrdered, transform)) }
    }

    /// Starts taking elements.
    public func makeAsyncIterator() -> Iterator { start() }

    /// An iterator, which goes through the results once.
    public final class Iterator: AsyncIteratorProtocol {
        private let ahead: Ahead
        private var tasks: AsyncThrowingStream<Task<Output, any Error>, any Error>.Iterator
        private var isOver = false

        fileprivate init(_ ahead: Ahead) {
            self.ahead = ahead
            tasks = ahead.tasks.makeAsyncIterator()
        }

        deinit { ahead.cancel() }

        /// The next result; nil after the last, and after an error.
        ///
        /// - Throws: What the sequence or the computation throws; `CancellationError` when the task is cancelled.
        public func next() async throws -> Output? {
            if isOver { return nil }
            do {
                let result = try await withTaskCancellationHandler { () -> Output? in
                    guard let task = try await tasks.next() else {
                        try Task.checkCancellation()
                        return nil
                    }
                    defer { ahead.finish(task) }
                    return try await task.value
                } onCancel: { [ahead] in
                    ahead.cancel()
                }
                isOver = result == nil
                return result
            } catch {
                isOver = true
                ahead.cancel()
                throw error
            }
        }
    }

    /// The work in flight.
    fileprivate final class Ahead: Sendable {
        let tasks: AsyncThrowingStream<Task<Output, any Error>, any Error>
        private let places: ResourcePool<Void>
        private let running = Mutex<(tasks: Set<Task<Output, any Error>>, isCancelled: Bool)>(([], false))
        private let producer = Mutex<Task<Void, Never>?>(nil)

        init<Base: AsyncSequence & Sendable>(
            _ base: Base, limit: Int, _ isOrdered: Bool,
            _ transform: @escaping @Sendable (Base.Element) async throws -> Output
        ) where Base.Element: Sendable {
            let places = ResourcePool<Void>(Array(repeating: (), count: limit))
            self.places = places
            let (tasks, continuation) = AsyncThrowingStream<Task<Output, any Error>, any Error>.makeStream()
            self.tasks = tasks
            // Holds no strong reference to the work while waiting, so that leaving the loop ends the work.
            let producer = Task { [weak self] in
                let failure = await withDiscardingTaskGroup { group -> (any Error)? in
                    do {
                        var iterator = base.makeAsyncIterator()
                        while await places.take() != nil, let element = try await iterator.next() {
                            guard let task = self?.begin({ try await transform(element) }) else { break }
                            if isOrdered {
                                continuation.yield(task)
                            } else {
                                group.addTask {
                                    _ = await task.result
                                    continuation.yield(task)
                                }
                            }
                        }
                        return nil
                    } catch {
                        return error
                    }
                }
                continuation.finish(throwing: failure)
            }
            self.producer.withLock { $0 = producer }
        }

        private func begin(_ body: @escaping @Sendable () async throws -> Output) -> Task<Output, any Error>? {
            running.withLock { running in
                if running.isCancelled { return nil }
                let task = Task { try await body() }
                running.tasks.insert(task)
                return task
            }
        }

        func finish(_ task: Task<Output, any Error>) {
            running.withLock { _ = $0.tasks.remove(task) }
            places.give(())
        }

        func cancel() {
            producer.withLock { $0 }?.cancel()
            let tasks = running.withLock { running in
                running.isCancelled = true
                return running.tasks
            }
            for task in tasks { task.cancel() }
        }
    }
}
