import Datasets
import Platform
import Synchronization

/// Batches of answers up to the one in which a pipe was no longer waited for, since the intake was closed.
struct InterruptibleBatches<Output: Sendable>: AsyncSequence {
    private let base: OrderedResults<Output>
    private let intake: Intake

    init(_ base: OrderedResults<Output>, _ intake: Intake) {
        self.base = base
        self.intake = intake
    }

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), intake: intake) }

    struct Iterator: AsyncIteratorProtocol {
        let base: OrderedResults<Output>.Iterator
        let intake: Intake

        func next() async throws -> Output? {
            do {
                return try await base.next()
            } catch is CancellationError where intake.isStopped && !Task.isCancelled {
                return nil
            }
        }
    }
}

/// A record with its places.
struct PlacedRecord: Sendable {
    /// Among the records of the shard.
    let position: Int
    /// In the whole list.
    let listPosition: Int
    let record: ImageRecord
}

/// The records of a dataset, or of a shard of it, that are not finished yet, a batch at a time.
struct RecordBatches: AsyncSequence, Sendable {
    private let dataset: any Dataset
    private let options: BatchRunner.Options
    /// Where the list is read, which may wait for pipes.
    private let executor: BlockingExecutor
    private let earlier: RunRows
    private let output: String
    private let intake: Intake
    private let checksIDs: Bool

    /// - Parameters:
    ///   - earlier: The rows that are there; the ids of their records are compared with those of the list.
    ///   - output: Where they are.
    ///   - checksIDs: Whether ids are compared with one another on the way, since they were not compared before.
    init(
        _ dataset: any Dataset, _ options: BatchRunner.Options, on executor: BlockingExecutor,
        earlier: RunRows = RunRows(), output: String? = nil,
        intake: Intake = Intake(), checksIDs: Bool
    ) {
        self.dataset = dataset
        self.options = options
        self.executor = executor
        self.earlier = earlier
        self.output = output ?? "standard output"
        self.intake = intake
        self.checksIDs = checksIDs
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    struct Iterator: AsyncIteratorProtocol {
        private let batches: RecordBatches
        private let pass = Pass()

        init(_ batches: RecordBatches) { self.batches = batches }

        func next() async throws -> [PlacedRecord]? {
            let records = try await batches.executor.run { [batches, pass] in
                try pass.next(batches)
            }
            return records.isEmpty ? nil : records
        }
    }

    /// One way through the list.
    private final class Pass: Sendable {
        private struct State {
            var listing: RecordListing?
            var ids = RecordIDs()
            var position = 0
            var listPosition = 0
            /// What was skipped, since it is finished.
            var skipped = HashSum()
            var skippedCount = 0
            /// Records that are not finished and lie before the last that is.
            var gaps: [PlacedRecord] = []
        }

        /// With rows out of order, as many as are in flight at a time; with more the comparison comes behind the first rows.
        private static let mostGaps = 1 << 14
        private let state = Mutex(State())

        func next(_ batches: RecordBatches) throws -> [PlacedRecord] {
            try state.withLock { state in
                guard !batches.intake.isStopped else { return [] }
                // All that is finished is compared before anything else is predicted.
                while state.position < batches.earlier.finished.end, state.gaps.count < Self.mostGaps,
                    let placed = try Self.read(&state, batches)
                {
                    state.gaps.append(placed)
                }
                if batches.intake.isStopped, state.position < batches.earlier.finished.end { return [] }
                let count = Swift.max(1, batches.options.batch)
                var records = Array(state.gaps.prefix(count))
                state.gaps.removeFirst(records.count)
                while records.count < count, let placed = try Self.read(&state, batches) { records.append(placed) }
                return records
            }
        }

        /// The next record that is not finished; nil behind the last, and when the intake is closed.
        private static func read(_ state: inout State, _ batches: RecordBatches) throws -> PlacedRecord? {
            while !batches.intake.isStopped {
                guard let record = try next(&state, batches) else {
                    if batches.intake.isStopped { return nil }
                    guard state.skippedCount == batches.earlier.finished.count else {
                        throw batches.otherList("its list had more than the \(state.listPosition) records of this one")
                    }
                    return nil
                }
                if batches.checksIDs { try state.ids.insert(record.id) }
                let listPosition = state.listPosition
                state.listPosition += 1
                if let shard = batches.options.shard, !shard.contains(record.id) { continue }
                let position = state.position
                state.position += 1
                guard batches.earlier.finished.contains(position) else {
                    return PlacedRecord(position: position, listPosition: listPosition, record: record)
                }
                state.skipped.add(RunRows.hash(position: position, id: record.id))
                state.skippedCount += 1
                guard let ids = batches.earlier.ids, state.skippedCount == batches.earlier.finished.count else {
                    continue
                }
                guard ids == state.skipped else {
                    throw batches.otherList(
                        "the first \(state.listPosition) records of its list were others, or in another order")
                }
            }
            return nil
        }

        /// The next record of the list; nil after the last, and once the intake is closed: a list that ends then was given
        /// up, and what it says in the end is no part of it.
        private static func next(_ state: inout State, _ batches: RecordBatches) throws -> ImageRecord? {
            guard !batches.intake.isStopped else { return nil }
            do {
                let listing = try state.listing ?? batches.dataset.records()
                state.listing = listing
                let record = try listing.next()
                return batches.intake.isStopped ? nil : record
            } catch  where batches.intake.isStopped {
                return nil
            }
        }
    }

    private func otherList(_ difference: String) -> ApusError {
        .usage("\(output): the run that is to be resumed was another: \(difference)")
    }
}
