import Synchronization

/// Ends the intake of a run: what is in flight is finished, nothing more is begun.
public final class Intake: Sendable {
    private let stopped = Atomic<Bool>(false)

    /// Makes an open intake.
    public init() {}

    /// Closes it. May be called from any thread.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// Whether it is closed.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }
}

/// A record with its place in the list.
struct PlacedRecord: Sendable {
    let position: Int
    let record: ImageRecord
}

/// The records of a dataset, or of a shard of it, that are not finished yet, a batch at a time.
struct RecordBatches: AsyncSequence, Sendable {
    private let dataset: any Dataset
    private let runner: BatchRunner
    private let finished: FinishedRecords
    private let intake: Intake
    private let checksIDs: Bool

    /// - Parameter checksIDs: Whether ids are compared on the way, since nobody did so before.
    init(
        _ dataset: any Dataset, runner: BatchRunner, finished: FinishedRecords = FinishedRecords(),
        intake: Intake = Intake(), checksIDs: Bool
    ) {
        self.dataset = dataset
        self.runner = runner
        self.finished = finished
        self.intake = intake
        self.checksIDs = checksIDs
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    struct Iterator: AsyncIteratorProtocol {
        private let batches: RecordBatches
        private let pass = Pass()

        init(_ batches: RecordBatches) { self.batches = batches }

        func next() async throws -> [PlacedRecord]? {
            let records = try await batches.runner.predictor.pictures.listing.run { [batches, pass] in
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
        }

        private let state = Mutex(State())

        func next(_ batches: RecordBatches) throws -> [PlacedRecord] {
            try state.withLock { state in
                let listing = try state.listing ?? batches.dataset.records()
                state.listing = listing
                let options = batches.runner.options
                var records: [PlacedRecord] = []
                while records.count < Swift.max(1, options.batch), !batches.intake.isStopped,
                    let record = try listing.next()
                {
                    if batches.checksIDs { try state.ids.insert(record.id) }
                    if let shard = options.shard, !shard.contains(record.id) { continue }
                    defer { state.position += 1 }
                    if batches.finished.contains(state.position) { continue }
                    records.append(PlacedRecord(position: state.position, record: record))
                }
                return records
            }
        }
    }
}
