import Datasets
import Platform

/// The batches of answers before the run was asked to stop and a read from a pipe was given up.
struct InterruptibleBatches<Output: Sendable>: AsyncSequence {
    private let base: OrderedResults<Output>
    private let gracefulStop: GracefulStop

    init(_ base: OrderedResults<Output>, _ gracefulStop: GracefulStop) {
        self.base = base
        self.gracefulStop = gracefulStop
    }

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), gracefulStop: gracefulStop) }

    struct Iterator: AsyncIteratorProtocol {
        let base: OrderedResults<Output>.Iterator
        let gracefulStop: GracefulStop

        func next() async throws -> Output? {
            do {
                return try await base.next()
            } catch is CancellationError where gracefulStop.isStopped && !Task.isCancelled {
                return nil
            }
        }
    }
}
