import Datasets
import Images
import Inference
import Platform

/// The answers to a dataset, in its order unless ``BatchOptions/isOrdered`` says otherwise.
///
/// Pictures are read, decoded and predicted ahead of the loop, at most a fixed number of batches, so memory does not
/// grow with the dataset. Leaving the loop cancels this work.
public struct PredictionRecords<Predictor: PicturePredictor>: AsyncSequence, Sendable {
    package let runner: BatchRunner<Predictor>
    package let dataset: any Dataset

    /// Starts going through the dataset.
    public func makeAsyncIterator() -> Iterator {
        let records = RecordBatches(
            dataset, runner.options, on: runner.taskPredictor.pictures.listing, checksIDs: true)
        return Iterator(
            runner.batches(records, times: StageTimes()), follower: runner.options.following?.makeFollower(),
            erased: runner.core.erased)
    }

    /// An iterator over the answers to a dataset.
    public struct Iterator: AsyncIteratorProtocol {
        private var batches: OrderedResults<[PredictionRecord<Predictor.Answer>]>.Iterator
        private var ready: ArraySlice<PredictionRecord<Predictor.Answer>> = []
        private var follower: (any AnswerFollower)?
        private let erased: @Sendable (Predictor.Answer) -> ImageAnswer

        package init(
            _ results: OrderedResults<[PredictionRecord<Predictor.Answer>]>, follower: (any AnswerFollower)?,
            erased: @escaping @Sendable (Predictor.Answer) -> ImageAnswer
        ) {
            batches = results.makeAsyncIterator()
            (self.follower, self.erased) = (follower, erased)
        }

        /// The next answer; nil after the last.
        ///
        /// - Throws: ``ApusError`` when the dataset cannot be listed, when two records have the same id, or when the
        ///   network cannot run at all.
        public mutating func next() async throws -> PredictionRecord<Predictor.Answer>? {
            while ready.isEmpty {
                guard let batch = try await batches.next() else { return nil }
                ready = batch[...]
            }
            var record = ready.removeFirst()
            guard var follower, case .success(let answer) = record.answer else { return record }
            let followed = follower.followed(erased(answer))
            self.follower = follower
            if let followed = followed as? Predictor.Answer ?? followed.base as? Predictor.Answer {
                record.answer = .success(followed)
            }
            return record
        }
    }
}

extension PicturePredictor {
    /// Predicts every picture of a dataset, in its order.
    ///
    ///     for try await record in classifier.predictions(over: .imageFolder("photos"), batch: 32) {
    ///         switch record.answer {
    ///         case .success(let answer): print(record.id, answer.label ?? "?")
    ///         case .failure(let error): print(record.id, error)
    ///         }
    ///     }
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords<Self> {
        BatchRunner(self, options: BatchOptions(batch: batch)).predictions(over: dataset)
    }
}
