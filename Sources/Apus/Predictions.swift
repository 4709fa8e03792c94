import Synchronization
import Tensors

/// The answer to one record of a dataset.
public struct PredictionRecord: Sendable {
    /// The record's id.
    public let id: String
    /// The classes, or why there are none.
    public let result: Result<Classification, RecordError>

    package init(id: String, result: Result<Classification, RecordError>) {
        self.id = id
        self.result = result
    }
}

/// The answers to a dataset, in its order.
///
/// Pictures are read, decoded and predicted ahead of the loop that asks for them, a bounded number of batches at a
/// time, so that memory does not grow with the dataset. Leaving the loop cancels the work ahead.
public struct Predictions: AsyncSequence, Sendable {
    let classifier: Classifier
    let dataset: any Dataset
    let batch: Int

    /// Starts going through the dataset.
    public func makeAsyncIterator() -> Iterator {
        let batches = RecordBatches(dataset: dataset, count: Swift.max(1, batch), executor: classifier.listing)
        // One batch more than there are streams, so that the next is decoded while these are predicted.
        let limit = classifier.session.options.streams + 1
        return Iterator(
            OrderedResults(of: batches, limit: limit) { [classifier] in try await classifier.predict($0) })
    }

    /// Goes through a dataset once.
    public struct Iterator: AsyncIteratorProtocol {
        private var batches: OrderedResults<[PredictionRecord]>.Iterator
        private var ready: ArraySlice<PredictionRecord> = []

        init(_ results: OrderedResults<[PredictionRecord]>) { batches = results.makeAsyncIterator() }

        /// The next answer; nil after the last.
        ///
        /// - Throws: ``ApusError`` when the dataset cannot be listed or the network cannot run at all.
        public mutating func next() async throws -> PredictionRecord? {
            while ready.isEmpty {
                guard let batch = try await batches.next() else { return nil }
                ready = batch[...]
            }
            return ready.removeFirst()
        }
    }
}

/// The records of a dataset, some at a time.
private struct RecordBatches: AsyncSequence, Sendable {
    let dataset: any Dataset
    let count: Int
    /// Where the records are listed, since folders and pipes are read.
    let executor: BlockingExecutor
    private let ids = SeenIDs()

    /// Compares ids across the batches.
    private final class SeenIDs: Sendable {
        private let ids = Mutex(RecordIDs())

        func insert(_ records: [ImageRecord]) throws(ApusError) {
            try ids.withLock { ids throws(ApusError) in for record in records { try ids.insert(record.id) } }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(batches: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let batches: RecordBatches
        private var listing: RecordListing?

        init(batches: RecordBatches) { self.batches = batches }

        mutating func next() async throws -> [ImageRecord]? {
            let known = listing
            let (listing, records) = try await batches.executor.run { [batches] in
                let listing = try known ?? batches.dataset.records()
                let records = try listing.next(batches.count)
                try batches.ids.insert(records)
                return (listing, records)
            }
            self.listing = listing
            return records.isEmpty ? nil : records
        }
    }
}

extension Classifier {
    /// Predicts every picture of a dataset, in its order.
    ///
    ///     for try await record in classifier.predictions(over: .imageFolder("photos"), batch: 32) {
    ///         switch record.result {
    ///         case .success(let answer): print(record.id, answer.label ?? "?")
    ///         case .failure(let error): print(record.id, error)
    ///         }
    ///     }
    ///
    /// - Parameter batch: How many pictures run together.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> Predictions {
        Predictions(classifier: self, dataset: dataset, batch: batch)
    }

    /// Prepares records side by side and predicts those that could be.
    fileprivate func predict(_ records: [ImageRecord]) async throws -> [PredictionRecord] {
        let prepared = try await withThrowingTaskGroup(of: (Int, Result<Tensor, RecordError>).self) { group in
            for (index, record) in records.enumerated() {
                group.addTask { (index, try await self.prepare(record.source)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // Pictures run together when they have equal extents, as they have with nearly every preprocessing.
        var together: [[Int]: [(index: Int, tensor: Tensor)]] = [:]
        var answers = [Result<Classification, RecordError>?](repeating: nil, count: records.count)
        for index in records.indices {
            switch prepared[index] {
            case .success(let tensor): together[tensor.shape, default: []].append((index, tensor))
            case .failure(let error): answers[index] = .failure(error)
            case nil: break
            }
        }
        for group in together.values {
            for (entry, answer) in zip(group, try await classify(group.map(\.tensor))) {
                answers[entry.index] = Self.finite(answer)
            }
        }
        return zip(records, answers).compactMap { record, answer in
            answer.map { PredictionRecord(id: record.id, result: $0) }
        }
    }

    /// The answer, unless the network's numbers ran out of range.
    private static func finite(_ answer: Classification) -> Result<Classification, RecordError> {
        let badCount = answer.confidences.count { !$0.isFinite }
        if badCount == 0 { return .success(answer) }
        let message = "\(badCount) of \(answer.confidences.count) confidences are not finite numbers"
        return .failure(RecordError(stage: "predict", code: "not-finite", message: message))
    }
}
