import Datasets
import Images
import Inference
import Platform
import Vision

/// The answers to a dataset, in its order unless ``BatchRunner/Options/isOrdered`` says otherwise.
///
/// Pictures are read, decoded and predicted ahead of the loop, at most a fixed number of batches, so memory does not
/// grow with the dataset. Leaving the loop cancels this work.
public struct PredictionRecords: AsyncSequence, Sendable {
    package let runner: BatchRunner
    package let dataset: any Dataset

    /// Starts going through the dataset.
    public func makeAsyncIterator() -> Iterator {
        let records = RecordBatches(
            dataset, runner.options, on: runner.predictor.pictures.listing, checksIDs: true)
        return Iterator(
            runner.batches(records, times: StageTimes()),
            tracker: runner.options.tracking.map { ObjectTracker($0) })
    }

    /// An iterator over the answers to a dataset.
    public struct Iterator: AsyncIteratorProtocol {
        private var batches: OrderedResults<[PredictionRecord]>.Iterator
        private var ready: ArraySlice<PredictionRecord> = []
        private var tracker: ObjectTracker?

        package init(_ results: OrderedResults<[PredictionRecord]>, tracker: ObjectTracker?) {
            batches = results.makeAsyncIterator()
            self.tracker = tracker
        }

        /// The next answer; nil after the last.
        ///
        /// - Throws: ``ApusError`` when the dataset cannot be listed, when two records have the same id, or when the
        ///   network cannot run at all.
        public mutating func next() async throws -> PredictionRecord? {
            while ready.isEmpty {
                guard var batch = try await batches.next() else { return nil }
                tracker?.follow(&batch)
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
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension ObjectDetector {
    /// Finds the objects in every picture of a dataset, in its order.
    ///
    ///     for try await record in detector.predictions(over: .imageFolder("photos")) {
    ///         print(record.id, try record.detection.get().objects)
    ///     }
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension OutputReader {
    /// Gives the outputs for every picture of a dataset, in its order.
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension Embedder {
    /// Gives the vector of every picture of a dataset, in its order.
    ///
    ///     for try await record in embedder.predictions(over: .imageFolder("photos"), batch: 32) {
    ///         print(record.id, try record.embedding.get().vector)
    ///     }
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension InstanceSegmenter {
    /// Finds the objects in every picture of a dataset with their pixels, in its order.
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension PoseEstimator {
    /// Finds the people or hands in every picture of a dataset, in its order.
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension LandmarkDetector {
    /// Finds the points of what every picture of a dataset shows, in its order.
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension Segmenter {
    /// Gives the class of every pixel for every picture of a dataset, in its order.
    ///
    ///     for try await record in segmenter.predictions(over: .imageFolder("photos")) {
    ///         print(record.id, try record.segmentation.get().segments)
    ///     }
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension DepthEstimator {
    /// Estimates the depth of every pixel for every picture of a dataset, in its order.
    ///
    ///     for try await record in estimator.predictions(over: .imageFolder("photos")) {
    ///         print(record.id, try record.depth.get().median)
    ///     }
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension ImageGenerator {
    /// Makes a picture of every picture of a dataset, in its order.
    ///
    ///     for try await record in generator.predictions(over: .imageFolder("photos")) {
    ///         print(record.id, try record.generatedImage.get().size)
    ///     }
    ///
    /// - Parameter batch: The number of pictures in a batch.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}

extension RecipeRunner {
    /// Runs the recipe on every picture of a dataset, in its order.
    ///
    ///     for try await record in runner.predictions(over: .imageFolder("pages"), batch: 8) {
    ///         print(record.id, try record.text.get().string)
    ///     }
    ///
    /// - Parameter batch: The number of pictures in a batch, whose parts run together.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> PredictionRecords {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}
