import Images

/// What a network found in one picture.
public enum PictureAnswer: Sendable {
    /// The picture's classes.
    case classes(Classification)
    /// The objects in it.
    case objects(ObjectDetection)

    /// Which of these a run gives.
    public enum Content: String, Sendable, Hashable {
        case classes, objects
    }
}

/// The answer to one record of a dataset.
public struct PredictionRecord: Sendable {
    /// The record's id.
    public let id: String
    /// The record's place in its list, or in its shard's part of it, from 0.
    public let position: Int
    /// The record's place in the whole list, from 0.
    var listPosition: Int
    /// When the picture belongs to, in a video or since a live source began; nil for pictures that have no time.
    public let timestamp: Duration?
    /// How many records of a live source were dropped between the record before and this one, since they were late.
    public internal(set) var droppedBefore = 0
    /// What was found, or why there is nothing.
    public var answer: Result<PictureAnswer, RecordError>
    /// The picture, where it is wanted again.
    var image: Image?
    /// The file of that picture.
    var sourceFile: String?

    /// The classes, or why there are none.
    public var result: Result<Classification, RecordError> {
        answer.flatMap { answer in
            if case .classes(let classification) = answer { return .success(classification) }
            return .failure(RecordError(stage: "predict", code: "no-classes", message: "the answer is objects"))
        }
    }

    /// The objects, or why there are none.
    public var detection: Result<ObjectDetection, RecordError> {
        answer.flatMap { answer in
            if case .objects(let detection) = answer { return .success(detection) }
            return .failure(RecordError(stage: "predict", code: "no-objects", message: "the answer is classes"))
        }
    }

    package init(id: String, position: Int = 0, result: Result<Classification, RecordError>) {
        self.init(id: id, position: position, timestamp: nil, answer: result.map(PictureAnswer.classes))
    }

    package init(
        id: String, position: Int = 0, timestamp: Duration? = nil, answer: Result<PictureAnswer, RecordError>
    ) {
        self.id = id
        self.position = position
        listPosition = position
        self.timestamp = timestamp
        self.answer = answer
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
        Iterator(
            runner.batches(RecordBatches(dataset, runner: runner, checksIDs: true), times: StageTimes()),
            tracker: runner.options.tracking.map { ObjectTracker($0) })
    }

    /// Goes through a dataset once.
    public struct Iterator: AsyncIteratorProtocol {
        private var batches: OrderedResults<[PredictionRecord]>.Iterator
        private var ready: ArraySlice<PredictionRecord> = []
        private var tracker: ObjectTracker?

        init(_ results: OrderedResults<[PredictionRecord]>, tracker: ObjectTracker?) {
            batches = results.makeAsyncIterator()
            self.tracker = tracker
        }

        /// The next answer; nil after the last.
        ///
        /// - Throws: ``ApusError`` when the dataset cannot be listed, when two records have the same id, or when the network
        ///   cannot run at all.
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
    /// - Parameter batch: How many pictures run together.
    public func predictions(over dataset: some Dataset, batch: Int = 1) -> Predictions {
        BatchRunner(self, options: BatchRunner.Options(batch: batch)).predictions(over: dataset)
    }
}
