import Datasets
import Images
import Inference
import Models
import Platform
import Preparation
import Tensors

/// Runs a classifier, a detector or another task over datasets. Listing, reading, decoding, predicting and writing
/// overlap, each at most a few batches ahead, so memory does not grow with the dataset.
///
///     let runner = BatchRunner(classifier, options: .init(batch: 32))
///     for try await record in runner.predictions(over: .imageFolder("photos")) {
///         print(record.id, try record.answer.get().label ?? "?")
///     }
///
/// ``run(over:into:maximumErrors:gracefulStop:observe:)`` writes the answers to an output from which a run can be
/// resumed.
public struct BatchRunner<Predictor: PicturePredictor>: Sendable {
    /// The options of a runner.
    public typealias Options = BatchOptions

    /// The classifier, the detector, or the predictor of another task.
    public let predictor: Predictor
    /// The options of the runner.
    public let options: BatchOptions
    /// What runs the predictor's network and reads its outputs.
    package let core: PredictorCore<Predictor.Answer>
    /// One place per concurrent run, so that the time limit of a batch starts with its run.
    private let places: ResourcePool<Void>

    /// Makes a runner.
    public init(_ predictor: Predictor, options: BatchOptions = BatchOptions()) {
        self.predictor = predictor
        self.options = options
        core = predictor.core
        places = ResourcePool([Void](repeating: (), count: core.predictor.session.options.streams))
    }

    /// The predictor of the task, which runs the network.
    package var taskPredictor: any TaskPredictor { core.predictor }

    /// The names of the classes, when known.
    public var labels: Labels? { taskPredictor.labels }

    /// The answers to a dataset.
    public func predictions(over dataset: some Dataset) -> PredictionRecords<Predictor> {
        PredictionRecords(runner: self, dataset: dataset)
    }

    /// The answers to pictures that belong to no dataset, in their order.
    package func predict(_ pictures: [ImageRecord]) async throws -> [PredictionRecord<Predictor.Answer>] {
        let placed = pictures.enumerated().map { PlacedRecord(position: $0, listPosition: $0, record: $1) }
        guard placed.count > options.batch else { return try await predict(placed, StageTimes()) }
        let parts = AsyncStream { parts in
            for start in stride(from: 0, to: placed.count, by: options.batch) {
                parts.yield(Array(placed[start..<min(start + options.batch, placed.count)]))
            }
            parts.finish()
        }
        let answers = OrderedResults(of: parts, limit: taskPredictor.session.options.streams + 2) { part in
            try await predict(part, StageTimes())
        }
        return try await answers.reduce(into: []) { $0 += $1 }
    }

    /// The answers to batches of records.
    package func batches(_ batches: RecordBatches, times: StageTimes) -> OrderedResults<
        [PredictionRecord<Predictor.Answer>]
    > {
        // Two batches more than streams, so that the next ones are decoded while these are predicted.
        let limit = taskPredictor.session.options.streams + 2
        let isOrdered = options.isOrdered || options.following != nil
        return OrderedResults(of: batches, limit: limit, isOrdered: isOrdered) { records in
            try await predict(records, times)
        }
    }

    /// Prepares records in parallel and predicts those that could be prepared.
    private func predict(_ records: [PlacedRecord], _ times: StageTimes) async throws -> [PredictionRecord<
        Predictor.Answer
    >] {
        times.move(records.count, from: nil, to: .preparing)
        @Sendable func prepare(_ record: ImageRecord) async throws -> Result<PreparedPicture, RecordError> {
            try await taskPredictor.pictures.prepare(
                record.source, id: record.id, within: options.timeout, others: record.inputs,
                keepsImage: taskPredictor.needsImages || options.keepsImages, times)
        }
        var prepared = try await withThrowingTaskGroup(of: (Int, Result<PreparedPicture, RecordError>).self) { group in
            for (index, placed) in records.enumerated() {
                group.addTask { (index, try await prepare(placed.record)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        times.move(records.count, from: .preparing, to: .waiting)
        // Pictures of equal shape run together; nearly every preprocessing gives all pictures one shape.
        var together: [[[Int]]: [(index: Int, picture: PreparedPicture)]] = [:]
        var answers = [Result<Predictor.Answer, RecordError>?](repeating: nil, count: records.count)
        let hasAnySize = taskPredictor.pictures.input.size == nil
        for index in records.indices {
            if case .failure(let error) = prepared[index], error.isShortage(anySize: hasAnySize) {
                // Other pictures may have taken the memory.
                prepared[index] = try await prepare(records[index].record)
            }
            switch prepared[index] {
            case .success(let picture): together[picture.shapes, default: []].append((index, picture))
            case .failure(let error):
                if error.isShortage(anySize: hasAnySize) {
                    throw ApusError.memory("\(records[index].record.id): \(error.message)")
                }
                answers[index] = .failure(error)
            case nil: break
            }
        }
        times.move(answers.count { $0 != nil }, from: .waiting, to: .writing)
        for group in together.values.sorted(by: { $0[0].index < $1[0].index }) {
            for (entry, answer) in zip(group, try await predict(group.map(\.picture), times)) {
                answers[entry.index] = answer
            }
            times.move(group.count, from: .predicting, to: .writing)
        }
        return try await withThumbnails(
            records.indices.compactMap { index in
                guard let answer = answers[index] else { return nil }
                let placed = records[index]
                var record = PredictionRecord<Predictor.Answer>(
                    id: placed.record.id, position: placed.position, timestamp: placed.record.timestamp, answer: answer)
                record.listPosition = placed.listPosition
                record.droppedBefore = placed.record.droppedBefore
                let picture = try? prepared[index]?.get()
                if options.keepsImages { record.image = picture?.image }
                record.warning = picture?.warning
                if record.image != nil { record.sourceFile = placed.record.source.path }
                return record
            })
    }

    /// Adds thumbnails to records, where they are wanted.
    private func withThumbnails(_ records: [PredictionRecord<Predictor.Answer>]) async throws -> [PredictionRecord<
        Predictor.Answer
    >] {
        guard let side = options.thumbnailSide else { return records }
        let executor = taskPredictor.pictures.executor
        let thumbnails = try await withThrowingTaskGroup(of: (Int, Image?).self) { group in
            for (index, record) in records.enumerated() {
                guard let image = record.image else { continue }
                group.addTask { (index, try await executor.run { image.thumbnail(side: side) }) }
            }
            return try await group.reduce(into: [Int: Image]()) { $0[$1.0] = $1.1 }
        }
        var records = records
        for index in records.indices { records[index].thumbnail = thumbnails[index] }
        return records
    }

    /// Predicts pictures of equal shape. A failed prediction is an error of its picture, unless every other picture
    /// would fail too.
    private func predict(
        _ pictures: [PreparedPicture], _ times: StageTimes, isRepeated: Bool = false
    ) async throws -> [Result<Predictor.Answer, RecordError>] {
        do {
            let outputs = try await places.with { _ in
                let start = ContinuousClock.now
                if !isRepeated { times.move(pictures.count, from: .waiting, to: .predicting) }
                defer { times.add(.predict, since: start) }
                return try await withDeadline(options.timeout) { try await taskPredictor.outputs(of: pictures) }
            }
            if let outputs {
                // The networks behind the first of a recipe run while its answers are made.
                let limit = taskPredictor.sessions.count > 1 ? options.timeout : nil
                let answers = try await withDeadline(limit) {
                    try await core.answers(from: outputs, to: pictures)
                }
                for case .failure(let error) in answers ?? [] where error.isShortage {
                    throw ApusError.memory(error.message)
                }
                if let answers { return answers }
            }
            let error = RecordError(
                stage: "predict", code: "deadline", message: "its batch was not predicted in \(limitText)")
            return pictures.map { _ in .failure(error) }
        } catch ApusError.memory(let message) {
            guard pictures.count > 1 else {
                // What every picture needs is no error of one.
                if taskPredictor.pictures.input.size != nil || MachineMemory.isExhausted {
                    throw ApusError.memory(message)
                }
                return [.failure(RecordError(stage: "predict", code: "out-of-memory", message: message))]
            }
            return try await predictSingly(pictures, times)
        } catch let error as RecordError {
            return pictures.count > 1 ? try await predictSingly(pictures, times) : [.failure(error)]
        } catch ApusError.usage(let message) where dependsOnRecords {
            return pictures.map { _ in .failure(RecordError(stage: "predict", code: "failed", message: message)) }
        }
    }

    /// Whether what the network is given, beside its numbers, is a record's own: extents, or further inputs.
    private var dependsOnRecords: Bool {
        let input = taskPredictor.pictures.input
        return input.size == nil || !input.further.namesOfRecords.isEmpty
    }

    /// Predicts pictures one after the other, so that the error of one is not that of the others.
    private func predictSingly(
        _ pictures: [PreparedPicture], _ times: StageTimes
    ) async throws -> [Result<Predictor.Answer, RecordError>] {
        var answers: [Result<Predictor.Answer, RecordError>] = []
        for picture in pictures { answers += try await predict([picture], times, isRepeated: true) }
        return answers
    }

    private var limitText: String { options.timeout.map { "\($0 / .seconds(1)) s" } ?? "time" }
}

/// Returns the result of `body`, or nil when it took longer than `limit` and was cancelled. Time for which the process
/// is stopped does not count.
private func withDeadline<Value: Sendable>(
    _ limit: Duration?, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    guard let limit else { return try await body() }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await RunningTime(limit: limit).wait()
            return nil
        }
        let first = try await group.next()
        group.cancelAll()
        return first ?? nil
    }
}
