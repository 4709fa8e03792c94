import Tensors

/// Takes datasets through a classifier: listing, reading, decoding, predicting and writing side by side, each as far ahead
/// as a few batches, so that memory does not grow with the dataset.
///
///     let runner = BatchRunner(classifier, options: .init(batch: 32))
///     for try await record in runner.predictions(over: .imageFolder("photos")) { print(record.id, record.result) }
///
/// ``run(over:into:intake:observe:)`` writes the answers to an output that can be resumed.
public struct BatchRunner: Sendable {
    /// How a runner goes through datasets.
    public struct Options: Sendable {
        /// How many pictures run together; answers do not depend on it.
        public var batch: Int
        /// Whether answers come in the order of the list.
        public var isOrdered: Bool
        /// How long a picture may take to be read, decoded and preprocessed, and then again how long its batch may take to be
        /// predicted. What takes longer becomes an error.
        public var timeout: Duration?
        /// Which part of the dataset is taken; all of it by default.
        public var shard: Shard?

        /// Makes options.
        public init(batch: Int = 8, isOrdered: Bool = true, timeout: Duration? = nil, shard: Shard? = nil) {
            self.batch = batch
            self.isOrdered = isOrdered
            self.timeout = timeout
            self.shard = shard
        }
    }

    /// What predicts.
    public let classifier: Classifier
    /// How datasets are gone through.
    public let options: Options
    /// As many places as runs proceed side by side, so that a batch's time begins with its run.
    private let places: ResourcePool<Void>

    /// Makes a runner.
    public init(_ classifier: Classifier, options: Options = Options()) {
        self.classifier = classifier
        self.options = options
        places = ResourcePool([Void](repeating: (), count: classifier.session.options.streams))
    }

    /// The streams that finish the most pictures in a given time: one thread each, on up to 16 streams.
    ///
    /// - Parameter batches: How many batches there are, when that is known; streams beyond it would have nothing to do.
    public static func streams(forThreads threads: Int, batches: Int? = nil) -> Int {
        let threadsPerStream = (max(1, threads) + 15) / 16
        return max(1, min(max(1, threads) / threadsPerStream, batches ?? .max))
    }

    /// The answers to a dataset.
    public func predictions(over dataset: some Dataset) -> Predictions {
        Predictions(runner: self, dataset: dataset)
    }

    /// The answers to batches of records.
    func batches(_ batches: RecordBatches, times: StageTimes) -> OrderedResults<[PredictionRecord]> {
        // Two batches more than there are streams, so that the next are decoded while these are predicted.
        let limit = classifier.session.options.streams + 2
        return OrderedResults(of: batches, limit: limit, isOrdered: options.isOrdered) { records in
            try await predict(records, times)
        }
    }

    /// Prepares records side by side and predicts those that could be.
    private func predict(_ records: [PlacedRecord], _ times: StageTimes) async throws -> [PredictionRecord] {
        times.move(records.count, from: nil, to: .preparing)
        let prepared = try await withThrowingTaskGroup(of: (Int, Result<Tensor, RecordError>).self) { group in
            for (index, placed) in records.enumerated() {
                group.addTask { (index, try await classifier.prepare(placed.record, within: options.timeout, times)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        times.move(records.count, from: .preparing, to: .waiting)
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
        times.move(answers.count { $0 != nil }, from: .waiting, to: .writing)
        for group in together.values {
            for (entry, answer) in zip(group, try await classify(group.map(\.tensor), times)) {
                answers[entry.index] = answer
            }
            times.move(group.count, from: .predicting, to: .writing)
        }
        return zip(records, answers).compactMap { placed, answer in
            answer.map { PredictionRecord(id: placed.record.id, position: placed.position, result: $0) }
        }
    }

    /// The answers to pictures of equal extents; one that cannot be had is an error of its picture, unless every other
    /// picture would have it too.
    private func classify(
        _ tensors: [Tensor], _ times: StageTimes, isRepeated: Bool = false
    ) async throws -> [Result<Classification, RecordError>] {
        do {
            let batch = try classifier.joined(tensors)
            let scores = try await places.with { _ in
                let start = ContinuousClock.now
                if !isRepeated { times.move(tensors.count, from: .waiting, to: .predicting) }
                defer { times.add(.predict, since: start) }
                return try await withDeadline(options.timeout) { try await classifier.scores(of: batch) }
            }
            guard let scores else {
                let error = RecordError(
                    stage: "predict", code: "deadline", message: "its batch was not predicted in \(limitText)")
                return tensors.map { _ in .failure(error) }
            }
            return classifier.classifications(from: scores).map(\.checked)
        } catch ApusError.memory(let message) {
            guard tensors.count > 1 else {
                return [.failure(RecordError(stage: "predict", code: "out-of-memory", message: message))]
            }
            var answers: [Result<Classification, RecordError>] = []
            for tensor in tensors { answers += try await classify([tensor], times, isRepeated: true) }
            return answers
        } catch ApusError.usage(let message) where classifier.input.size == nil {
            return tensors.map { _ in .failure(RecordError(stage: "predict", code: "failed", message: message)) }
        }
    }

    private var limitText: String { options.timeout.map { "\($0 / .seconds(1)) s" } ?? "time" }
}

/// What `body` gives, or nil when it takes longer than `limit` and was cancelled.
private func withDeadline<Value: Sendable>(
    _ limit: Duration?, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    guard let limit else { return try await body() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        let first = try await group.next()
        group.cancelAll()
        return first ?? nil
    }
}

extension Classification {
    /// The answer, unless the network's numbers ran out of range.
    fileprivate var checked: Result<Classification, RecordError> {
        let badCount = confidences.count { !$0.isFinite }
        if badCount == 0 { return .success(self) }
        let message = "\(badCount) of \(confidences.count) confidences are not finite numbers"
        return .failure(RecordError(stage: "predict", code: "not-finite", message: message))
    }
}
