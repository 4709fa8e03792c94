/// The answer to one record of a dataset.
public struct PredictionRecord: Sendable {
    /// The record's id.
    public let id: String
    /// The record's place in its list, or in its shard's part of it, from 0.
    public let position: Int
    /// The classes, or why there are none.
    public let result: Result<Classification, RecordError>

    package init(id: String, position: Int = 0, result: Result<Classification, RecordError>) {
        self.id = id
        self.position = position
        self.result = result
    }
}

/// The answers to a dataset, in its order unless ``BatchRunner/Options/isOrdered`` says otherwise.
///
/// Pictures are read, decoded and predicted ahead of the loop that asks for them, a bounded number of batches at a
/// time, so that memory does not grow with the dataset. Leaving the loop cancels the work ahead.
public struct Predictions: AsyncSequence, Sendable {
    let runner: BatchRunner
    let dataset: any Dataset

    /// Starts going through the dataset.
    public func makeAsyncIterator() -> Iterator {
        Iterator(runner.batches(RecordBatches(dataset, runner: runner, checksIDs: true), times: StageTimes()))
    }

    /// Goes through a dataset once.
    public struct Iterator: AsyncIteratorProtocol {
        private var batches: OrderedResults<[PredictionRecord]>.Iterator
        private var ready: ArraySlice<PredictionRecord> = []

        init(_ results: OrderedResults<[PredictionRecord]>) { batches = results.makeAsyncIterator() }

        /// The next answer; nil after the last.
        ///
        /// - Throws: ``ApusError`` when the dataset cannot be listed, when two records have the same id, or when the network
        ///   cannot run at all.
        public mutating func next() async throws -> PredictionRecord? {
            while ready.isEmpty {
                guard let batch = try await batches.next() else { return nil }
                ready = batch[...]
            }
            return ready.removeFirst()
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
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}
