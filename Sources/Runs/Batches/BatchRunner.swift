import Datasets
import Images
import Inference
import Platform
import Preparation
import Tensors
import Vision

/// Runs a classifier, a detector or another task over datasets. Listing, reading, decoding, predicting and writing
/// overlap, each at most a few batches ahead, so memory does not grow with the dataset.
///
///     let runner = BatchRunner(classifier, options: .init(batch: 32))
///     for try await record in runner.predictions(over: .imageFolder("photos")) {
///         print(record.id, record.classification)
///     }
///
/// ``run(over:into:maximumErrors:gracefulStop:observe:)`` writes the answers to an output from which a run can be
/// resumed.
public struct BatchRunner: Sendable {
    /// The options of a runner.
    public struct Options: Sendable {
        /// The number of pictures in a batch; answers do not depend on it.
        public var batch: Int
        /// Whether answers come in the order of the list.
        public var isOrdered: Bool
        /// The time limit for reading, decoding and preprocessing a picture, and separately for predicting its batch. A
        /// picture that exceeds it becomes an error. Time for which the process is stopped does not count. A video
        /// whose next frame does not come in this time ends with an error.
        public var timeout: Duration?
        /// The part of the dataset to predict; nil for all of it.
        public var shard: Shard?
        /// The options for tracking objects across records, which must be the frames of one video; nil for no tracking.
        /// With tracking, answers come in the order of the list.
        public var tracking: ObjectTracker.Options?
        /// The folder where a run puts pictures with their objects or
        /// segments drawn on them; nil for none.
        public var drawing: DrawingFolder?
        /// The folder where a run puts the masks of segments; nil for none.
        public var masks: MaskFolder?
        /// The folder where a run puts the foreground of pictures; nil for
        /// none.
        public var cutouts: CutoutFolder?
        /// The folder where a run puts the outputs of the network; nil for
        /// none.
        public var arrays: NumPyArchiveFolder?
        /// The folders where a run puts maps of depth.
        public var depth: [DepthFolder] = []
        /// The folder where a run puts pictures that the network made; nil
        /// for none.
        public var images: ImageFolder?
        /// The folders where a run puts the boxes of objects, for other
        /// tools; nil for none.
        public var yolo: YOLOFolder?
        /// The folder where a run puts the boxes of objects in the form of Pascal VOC; nil for none.
        public var voc: VOCFolder?
        /// The folder where a run puts pages of hOCR; nil for none.
        public var hOCR: HOCRFolder?

        /// The maximum width and height of a thumbnail that records keep; nil for none.
        package var thumbnailSide: Int?

        /// Whether pictures are needed once they are predicted.
        var keepsImages: Bool { thumbnailSide != nil || files.contains(where: \.keepsImage) }

        /// All files that are written for each record.
        package var files: [any RecordFiles] {
            [drawing as (any RecordFiles)?, masks, cutouts, arrays, images, yolo, voc, hOCR].compactMap { $0 } + depth
        }

        /// Makes options.
        public init(
            batch: Int = 8, isOrdered: Bool = true, timeout: Duration? = nil, shard: Shard? = nil,
            tracking: ObjectTracker.Options? = nil, drawing: DrawingFolder? = nil, masks: MaskFolder? = nil,
            arrays: NumPyArchiveFolder? = nil, cutouts: CutoutFolder? = nil, depth: [DepthFolder] = [],
            images: ImageFolder? = nil, yolo: YOLOFolder? = nil, voc: VOCFolder? = nil, hOCR: HOCRFolder? = nil
        ) {
            self.batch = batch
            self.isOrdered = isOrdered
            self.timeout = timeout
            self.shard = shard
            self.tracking = tracking
            self.drawing = drawing
            self.masks = masks
            self.arrays = arrays
            self.cutouts = cutouts
            self.depth = depth
            self.images = images
            self.yolo = yolo
            self.voc = voc
            self.hOCR = hOCR
        }
    }

    /// The classifier, the detector, or the predictor of another task.
    package let predictor: any PicturePredictor
    /// The options of the runner.
    public let options: Options
    /// One place per concurrent run, so that the time limit of a batch starts with its run.
    private let places: ResourcePool<Void>

    /// Makes a runner that gives classes.
    public init(_ classifier: Classifier, options: Options = Options()) {
        self.init(predictor: classifier, options: options)
    }

    /// Makes a runner that gives objects.
    public init(_ detector: ObjectDetector, options: Options = Options()) {
        self.init(predictor: detector, options: options)
    }

    /// Makes a runner that gives segments.
    public init(_ segmenter: Segmenter, options: Options = Options()) {
        self.init(predictor: segmenter, options: options)
    }

    /// Makes a runner that gives objects with masks.
    public init(_ segmenter: InstanceSegmenter, options: Options = Options()) {
        self.init(predictor: segmenter, options: options)
    }

    /// Makes a runner that gives poses.
    public init(_ estimator: PoseEstimator, options: Options = Options()) {
        self.init(predictor: estimator, options: options)
    }

    /// Makes a runner that gives landmarks.
    public init(_ detector: LandmarkDetector, options: Options = Options()) {
        self.init(predictor: detector, options: options)
    }

    /// Makes a runner that gives vectors.
    public init(_ embedder: Embedder, options: Options = Options()) {
        self.init(predictor: embedder, options: options)
    }

    /// Makes a runner that gives maps of depth.
    public init(_ estimator: DepthEstimator, options: Options = Options()) {
        self.init(predictor: estimator, options: options)
    }

    /// Makes a runner that gives pictures.
    public init(_ generator: ImageGenerator, options: Options = Options()) {
        self.init(predictor: generator, options: options)
    }

    /// Makes a runner that gives the outputs of a network.
    public init(_ reader: OutputReader, options: Options = Options()) {
        self.init(predictor: reader, options: options)
    }

    /// Makes a runner of a recipe.
    public init(_ runner: RecipeRunner, options: Options = Options()) {
        self.init(predictor: runner, options: options)
    }

    /// Makes a runner of a task's predictor.
    package init(predictor: any PicturePredictor, options: Options) {
        self.predictor = predictor
        self.options = options
        places = ResourcePool([Void](repeating: (), count: predictor.session.options.streams))
    }

    /// The names of the classes, when known.
    public var labels: Labels? { predictor.labels }

    /// The number of streams with the highest throughput: one for each thread, up to 16.
    ///
    /// - Parameter batches: The number of batches, if known. More streams than batches would be idle.
    public static func streams(forThreads threads: Int, batches: Int? = nil) -> Int {
        let threadsPerStream = (max(1, threads) + 15) / 16
        return max(1, min(max(1, threads) / threadsPerStream, batches ?? .max))
    }

    /// The answers to a dataset.
    public func predictions(over dataset: some Dataset) -> PredictionRecords {
        PredictionRecords(runner: self, dataset: dataset)
    }

    /// The answers to pictures that belong to no dataset, in their order.
    package func predict(_ pictures: [ImageRecord]) async throws -> [PredictionRecord] {
        let placed = pictures.enumerated().map { PlacedRecord(position: $0, listPosition: $0, record: $1) }
        guard placed.count > options.batch else { return try await predict(placed, StageTimes()) }
        let parts = AsyncStream { parts in
            for start in stride(from: 0, to: placed.count, by: options.batch) {
                parts.yield(Array(placed[start..<min(start + options.batch, placed.count)]))
            }
            parts.finish()
        }
        let answers = OrderedResults(of: parts, limit: predictor.session.options.streams + 2) { part in
            try await predict(part, StageTimes())
        }
        return try await answers.reduce(into: []) { $0 += $1 }
    }

    /// The answers to batches of records.
    func batches(_ batches: RecordBatches, times: StageTimes) -> OrderedResults<[PredictionRecord]> {
        // Two batches more than streams, so that the next ones are decoded while these are predicted.
        let limit = predictor.session.options.streams + 2
        let isOrdered = options.isOrdered || options.tracking != nil
        return OrderedResults(of: batches, limit: limit, isOrdered: isOrdered) { records in
            try await predict(records, times)
        }
    }

    /// Prepares records in parallel and predicts those that could be prepared.
    private func predict(_ records: [PlacedRecord], _ times: StageTimes) async throws -> [PredictionRecord] {
        times.move(records.count, from: nil, to: .preparing)
        @Sendable func prepare(_ record: ImageRecord) async throws -> Result<PreparedPicture, RecordError> {
            try await predictor.pictures.prepare(
                record.source, id: record.id, within: options.timeout,
                keepsImage: predictor.needsImages || options.keepsImages, times)
        }
        var prepared = try await withThrowingTaskGroup(of: (Int, Result<PreparedPicture, RecordError>).self) { group in
            for (index, placed) in records.enumerated() {
                group.addTask { (index, try await prepare(placed.record)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        times.move(records.count, from: .preparing, to: .waiting)
        // Pictures of equal shape run together; nearly every preprocessing gives all pictures one shape.
        var together: [[Int]: [(index: Int, picture: PreparedPicture)]] = [:]
        var answers = [Result<ImageAnswer, RecordError>?](repeating: nil, count: records.count)
        let hasAnySize = predictor.pictures.input.size == nil
        for index in records.indices {
            if case .failure(let error) = prepared[index], error.isShortage(anySize: hasAnySize) {
                // Other pictures may have taken the memory.
                prepared[index] = try await prepare(records[index].record)
            }
            switch prepared[index] {
            case .success(let picture): together[picture.tensor.shape, default: []].append((index, picture))
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
                var record = PredictionRecord(
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
    private func withThumbnails(_ records: [PredictionRecord]) async throws -> [PredictionRecord] {
        guard let side = options.thumbnailSide else { return records }
        let executor = predictor.pictures.executor
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
    ) async throws -> [Result<ImageAnswer, RecordError>] {
        do {
            let outputs = try await places.with { _ in
                let start = ContinuousClock.now
                if !isRepeated { times.move(pictures.count, from: .waiting, to: .predicting) }
                defer { times.add(.predict, since: start) }
                return try await withDeadline(options.timeout) { try await predictor.outputs(of: pictures) }
            }
            if let outputs {
                // The networks behind the first of a recipe run while its answers are made.
                let limit = predictor.sessions.count > 1 ? options.timeout : nil
                let answers = try await withDeadline(limit) {
                    try await predictor.imageAnswers(from: outputs, to: pictures)
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
                if predictor.pictures.input.size != nil || MachineMemory.isExhausted { throw ApusError.memory(message) }
                return [.failure(RecordError(stage: "predict", code: "out-of-memory", message: message))]
            }
            return try await predictSingly(pictures, times)
        } catch let error as RecordError {
            return pictures.count > 1 ? try await predictSingly(pictures, times) : [.failure(error)]
        } catch ApusError.usage(let message) where predictor.pictures.input.size == nil {
            return pictures.map { _ in .failure(RecordError(stage: "predict", code: "failed", message: message)) }
        }
    }

    /// Predicts pictures one after the other, so that the error of one is not that of the others.
    private func predictSingly(
        _ pictures: [PreparedPicture], _ times: StageTimes
    ) async throws -> [Result<ImageAnswer, RecordError>] {
        var answers: [Result<ImageAnswer, RecordError>] = []
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
