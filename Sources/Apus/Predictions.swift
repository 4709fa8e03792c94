import Tensors

/// The answer to one record of a dataset.
public struct PredictionRecord: Sendable {
    /// The record's id.
    public let id: String
    /// The classes, or why there are none.
    public let result: Result<Classification, RecordError>
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
        Iterator(classifier: classifier, dataset: dataset, batch: Swift.max(1, batch))
    }

    /// Goes through a dataset once.
    public final class Iterator: AsyncIteratorProtocol {
        private let classifier: Classifier
        private let dataset: any Dataset
        private let batch: Int
        private var records: [ImageRecord]?
        private var next = 0
        private var ahead: [Task<[PredictionRecord], any Error>] = []
        private var ready: ArraySlice<PredictionRecord> = []

        init(classifier: Classifier, dataset: any Dataset, batch: Int) {
            self.classifier = classifier
            self.dataset = dataset
            self.batch = batch
        }

        deinit { for task in ahead { task.cancel() } }

        /// The next answer; nil after the last.
        ///
        /// - Throws: ``ApusError`` when the dataset cannot be listed or the network cannot run at all.
        public func next() async throws -> PredictionRecord? {
            let records = try listed()
            while ready.isEmpty {
                try Task.checkCancellation()
                // One batch more than there are streams, so that the next is decoded while these are predicted.
                while ahead.count <= classifier.session.options.streams, next < records.count {
                    let part = Array(records[next..<Swift.min(next + batch, records.count)])
                    next += part.count
                    ahead.append(Task { [classifier] in try await classifier.predict(part) })
                }
                guard !ahead.isEmpty else { return nil }
                let task = ahead.removeFirst()
                let answers = try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
                ready = answers[...]
            }
            return ready.removeFirst()
        }

        private func listed() throws(ApusError) -> [ImageRecord] {
            if let records { return records }
            let listed = try dataset.records()
            records = listed
            return listed
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
        let prepared = await withTaskGroup(of: (Int, Result<Tensor, RecordError>).self) { group in
            for (index, record) in records.enumerated() {
                group.addTask { (index, await self.prepare(record.source)) }
            }
            var results = [Result<Tensor, RecordError>?](repeating: nil, count: records.count)
            for await (index, result) in group { results[index] = result }
            return results.compactMap { $0 }
        }
        try Task.checkCancellation()
        var results = prepared.map { $0.map { _ in Classification(confidences: [], labels: nil) } }
        // Pictures run together when they have equal extents, as they have for nearly every preprocessing.
        let indices = prepared.indices.filter { (try? prepared[$0].get()) != nil }
        let groups = Dictionary(grouping: indices) { (try? prepared[$0].get())?.shape ?? [] }
        for group in groups.values.sorted(by: { $0[0] < $1[0] }) {
            let answers = try await classify(group.map { try prepared[$0].get() })
            for (index, answer) in zip(group, answers) { results[index] = .success(answer) }
        }
        return zip(records, results).map { PredictionRecord(id: $0.id, result: $1) }
    }
}
