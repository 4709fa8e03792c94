import Images
import Synchronization
import Tensors

extension Classifier {
    /// The numbers of a record's picture, or why there are none.
    ///
    /// - Parameter limit: How long it may take from the moment it is begun.
    /// - Throws: `CancellationError` when the task is cancelled before a thread is free.
    func prepare(
        _ record: ImageRecord, within limit: Duration?, _ times: StageTimes
    ) async throws -> Result<Tensor, RecordError> {
        let stage = Progress()
        let body: @Sendable () -> Result<Tensor, RecordError> = {
            [input, decodingOptions, logger = session.options.logger] in
            let start = ContinuousClock.now
            defer { times.note(record.id, since: start) }
            return RecordError.catching {
                let source = try times.measure(.read) { try record.source.read() }
                stage.value = .decode
                let picture = try times.measure(.decode) { try source.decoded(decodingOptions) }
                if case .image(let image) = picture, image.isFirstOfSeveralFrames {
                    logger.warning("\(record.id.printable): is animated; its first frame is taken")
                }
                stage.value = .preprocess
                return try times.measure(.preprocess) { try input.tensor(from: picture, decodingOptions) }
            }
        }
        guard let limit else { return try await preparation.run(body) }
        if let result = try await preparation.attempt(within: limit, body) { return result }
        return .failure(
            RecordError(
                stage: stage.value.rawValue, code: "deadline",
                message: "was not read, decoded and preprocessed in \(limit / .seconds(1)) s"))
    }

    /// How far the preparation of a record is.
    private final class Progress: Sendable {
        private let stage = Mutex(StageTimes.Stage.read)

        var value: StageTimes.Stage {
            get { stage.withLock { $0 } }
            set { stage.withLock { $0 = newValue } }
        }
    }
}

extension StageTimes {
    /// Calls `body` and adds how long it takes.
    fileprivate func measure<Value>(_ stage: Stage, _ body: () throws -> Value) rethrows -> Value {
        let start = ContinuousClock.now
        defer { add(stage, since: start) }
        return try body()
    }
}

extension ImageSource {
    /// The source with what has to be read, read.
    fileprivate func read() throws -> ImageSource {
        switch try resolved() {
        case .file(let path): .data(try FileContent.read(path, atMost: FileContent.mostPictureBytes))
        case let source: source
        }
    }

    /// The source with bytes of a file as pixels.
    fileprivate func decoded(_ options: Image.DecodingOptions) throws -> ImageSource {
        guard case .data = self else { return self }
        return .image(try image(options))
    }
}
