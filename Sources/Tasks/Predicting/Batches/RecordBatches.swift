import Datasets
import Platform
import Synchronization

/// A record with its positions.
package struct PlacedRecord: Sendable {
    /// The position among the records of the shard.
    package let position: Int
    /// The position in the whole list.
    package let listPosition: Int
    package let record: ImageRecord
}

/// The unfinished records of a dataset or shard, in batches.
package struct RecordBatches: AsyncSequence, Sendable {
    private let dataset: any Dataset
    private let options: BatchOptions
    /// The executor of the thread that reads the list, which may wait for pipes.
    private let executor: BlockingExecutor
    private let earlier: RunRows
    private let output: String
    private let gracefulStop: GracefulStop
    private let checksIDs: Bool

    /// - Parameters:
    ///   - earlier: The rows of the earlier run, whose ids are compared with those of the list.
    ///   - output: The name of the output, for errors.
    ///   - checksIDs: Whether repeated ids are detected during the iteration, when they were not before.
    package init(
        _ dataset: any Dataset, _ options: BatchOptions, on executor: BlockingExecutor,
        earlier: RunRows = RunRows(), output: String? = nil,
        gracefulStop: GracefulStop = GracefulStop(), checksIDs: Bool
    ) {
        self.dataset = dataset
        self.options = options
        self.executor = executor
        self.earlier = earlier
        self.output = output ?? "standard output"
        self.gracefulStop = gracefulStop
        self.checksIDs = checksIDs
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }

    package struct Iterator: AsyncIteratorProtocol {
        private let batches: RecordBatches
        private let pass = Pass()

        init(_ batches: RecordBatches) { self.batches = batches }

        package func next() async throws -> [PlacedRecord]? {
            let records = try await batches.executor.run { [batches, pass] in
                try pass.next(batches)
            }
            return records.isEmpty ? nil : records
        }
    }

    /// One iteration over the list.
    private final class Pass: Sendable {
        private struct State {
            var listing: RecordListing?
            var ids = RecordIDs()
            var position = 0
            var listPosition = 0
            /// The sum of the finished records that were skipped.
            var skipped = HashSum()
            var skippedCount = 0
            /// Unfinished records that lie before the last finished one.
            var gaps: [PlacedRecord] = []
        }

        /// The maximum number of gaps, at least that of records in flight. With more gaps, ids are compared only after
        /// the first new rows.
        private static let maximumGaps = 1 << 14
        private let state = Mutex(State())

        func next(_ batches: RecordBatches) throws -> [PlacedRecord] {
            try state.withLock { state in
                guard !batches.gracefulStop.isStopped else { return [] }
                // All finished records are compared before another one is predicted.
                while state.position < batches.earlier.finished.end, state.gaps.count < Self.maximumGaps,
                    let placed = try Self.read(&state, batches)
                {
                    state.gaps.append(placed)
                }
                if batches.gracefulStop.isStopped, state.position < batches.earlier.finished.end { return [] }
                let count = Swift.max(1, batches.options.batch)
                var records = Array(state.gaps.prefix(count))
                state.gaps.removeFirst(records.count)
                while records.count < count, let placed = try Self.read(&state, batches) { records.append(placed) }
                return records
            }
        }

        /// The next unfinished record; nil after the last, and when the run is asked to stop.
        private static func read(_ state: inout State, _ batches: RecordBatches) throws -> PlacedRecord? {
            while !batches.gracefulStop.isStopped {
                guard let record = try next(&state, batches) else {
                    if batches.gracefulStop.isStopped { return nil }
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
                        "the first \(state.listPosition) records of its list were different or in another order")
                }
            }
            return nil
        }

        /// The next record of the list; nil after the last, and once the run is asked to stop. A list that ends after
        /// that was cut short, so its last record or error is ignored.
        private static func next(_ state: inout State, _ batches: RecordBatches) throws -> ImageRecord? {
            guard !batches.gracefulStop.isStopped else { return nil }
            do {
                let record = try RecordListing.$limit.withValue(batches.options.timeout) {
                    let listing = try state.listing ?? batches.dataset.records()
                    state.listing = listing
                    return try listing.next()
                }
                return batches.gracefulStop.isStopped ? nil : record
            } catch  where batches.gracefulStop.isStopped {
                return nil
            }
        }
    }

    private func otherList(_ difference: String) -> ApusError {
        .usage("\(output): the run to resume differs: \(difference)")
    }
}
