import Images
import Inference
import Logging
import Platform
import Synchronization
import Tensors

/// A picture that is prepared for a network.
package struct PreparedPicture: Sendable {
    /// The numbers, with an axis of the batch of extent 1.
    package let tensor: Tensor
    /// The size of the upright picture; nil for a record that is an array.
    package let size: ImageSize?
    /// The picture, when it is kept.
    package var image: Image?
    /// What is wrong with the picture's file, in one line, although all pixels could be decoded.
    package var warning: String?
    /// The place of the picture in the numbers; a request may choose another than the model's preprocessing.
    package var placement = ImagePlacement()
    /// The values of other inputs that are the record's own, by name.
    package var others: [String: Tensor] = [:]
    /// The extents of all that the network gets for the picture. Pictures of equal extents may run together.
    package var shapes: [[Int]] {
        [tensor.shape] + others.sorted { $0.key < $1.key }.map(\.value.shape)
    }

    package init(
        tensor: Tensor, size: ImageSize?, image: Image? = nil, warning: String? = nil,
        placement: ImagePlacement = ImagePlacement()
    ) {
        (self.tensor, self.size, self.image, self.warning) = (tensor, size, image, warning)
        self.placement = placement
    }
}

/// The preparation of pictures for one network, on threads of its own.
package final class PicturePreparation: Sendable {
    package let input: ImageInput
    package let decodingOptions: Image.DecodingOptions
    /// The threads that read, decode and preprocess pictures.
    package let executor: BlockingExecutor
    /// The thread that lists datasets, which may wait for pipes.
    package let listing: BlockingExecutor

    private let logger: Logger
    /// The values of inputs beside the picture that are the same for every picture, by name.
    private let constants: [String: Tensor]

    /// Starts the threads.
    ///
    /// - Parameter options: The number of threads, and the logger for pictures of which only a part is used.
    /// - Throws: ``ApusError/usage(_:)`` for a value that does not fit its input.
    package init(
        _ input: ImageInput, _ decodingOptions: Image.DecodingOptions, _ options: Session.Options
    ) throws(ApusError) {
        self.input = input
        self.decodingOptions = decodingOptions
        constants = try input.further.constants(input.preprocessing, decodingOptions)
        logger = options.logger
        let threadCount = options.threads
        executor = try BlockingExecutor(name: "apus-images", role: .tasks(threadCount: threadCount))
        listing = try BlockingExecutor(name: "apus-listing", role: .tasks(threadCount: 1))
    }

    /// Prepares a picture that belongs to no dataset.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; `CancellationError`.
    package func prepare(
        _ source: ImageSource, others: [String: ImageSource] = [:], keepsImage: Bool = false
    ) async throws -> PreparedPicture {
        try await prepare(source, id: "", within: nil, others: others, keepsImage: keepsImage, StageTimes()).get()
    }

    /// The inputs of a run for prepared pictures of equal extents, by name.
    package func inputs(of pictures: [PreparedPicture]) throws -> [String: Tensor] {
        try inputs(pictures.map(\.tensor), others: pictures.map(\.others))
    }

    /// The inputs of a run for the numbers of pictures.
    ///
    /// - Parameter others: The values of other inputs that are each record's own.
    package func inputs(_ numbers: [Tensor], others: [[String: Tensor]]) throws -> [String: Tensor] {
        let size = numbers.first.map { input.extent(of: $0) } ?? ImageSize(width: 1, height: 1)
        var inputs = try input.further.tensors(constants, others, size: size)
        inputs[input.name] = try input.batch(numbers)
        return inputs
    }

    /// The values of the inputs beside the picture, in one line; nil without any.
    package var inputValuesText: String? { input.further.description(constants) }

    /// Prepares the picture of a record, or returns why that failed.
    ///
    /// - Parameters:
    ///   - id: The record's id in messages and among the slowest records.
    ///   - limit: The maximum time from when a thread begins; nil for no limit.
    ///   - others: The values of other inputs that are the record's own, by name.
    ///   - keepsImage: Whether the picture is kept beside its numbers.
    /// - Throws: `CancellationError` when the task is cancelled before a thread is free, or while it waits for a pipe.
    package func prepare(
        _ source: ImageSource, id: String, within limit: Duration?, others: [String: ImageSource] = [:],
        keepsImage: Bool = false, _ times: StageTimes
    ) async throws -> Result<PreparedPicture, RecordError> {
        let stage = Progress()
        let body: @Sendable () -> Result<PreparedPicture, RecordError> = { [input, decodingOptions, logger] in
            let start = ContinuousClock.now
            defer { times.note(id, since: start) }
            return RecordError.catching {
                let (source, frame) = try times.measure(.read) { try source.read() }
                stage.value = .decode
                let options = frame.map { decodingOptions.decoding(frame: $0) } ?? decodingOptions
                let picture = try times.measure(.decode) { try source.decoded(options) }
                var warning: String?
                if case .image(let image) = picture {
                    warning = image.warning
                    if let warning { logger.warning("\(id.printable): \(warning)") }
                    if frame == nil, image.isFirstOfSeveralFrames {
                        logger.warning("\(id.printable): has several frames or pages; the first is taken")
                    }
                }
                stage.value = .preprocess
                var prepared = try times.measure(.preprocess) { try input.prepared(picture, decodingOptions) }
                if !input.further.namesOfRecords.isEmpty {
                    prepared.others = try times.measure(.preprocess) {
                        try input.further.values(of: others, input.preprocessing, decodingOptions)
                    }
                }
                if !keepsImage { prepared.image = nil }
                prepared.warning = warning
                return prepared
            }
        }
        let result: Result<PreparedPicture, RecordError>
        if let limit {
            result =
                try await executor.attempt(within: limit, body)
                ?? .failure(
                    RecordError(
                        stage: stage.value.rawValue, code: "deadline",
                        message: "was not read, decoded and preprocessed in \(limit / .seconds(1)) s"))
        } else {
            result = try await executor.run(body)
        }
        if case .failure(let error) = result, error == .cancelled { throw CancellationError() }
        return result
    }

    /// The stage that the preparation of a record has reached.
    private final class Progress: Sendable {
        private let stage = Mutex(StageTimes.Stage.read)

        var value: StageTimes.Stage {
            get { stage.withLock { $0 } }
            set { stage.withLock { $0 = newValue } }
        }
    }
}

extension StageTimes {
    /// Calls `body` and adds the time that it takes.
    fileprivate func measure<Value>(_ stage: Stage, _ body: () throws -> Value) rethrows -> Value {
        let start = ContinuousClock.now
        defer { add(stage, since: start) }
        return try body()
    }
}

extension ImageSource {
    /// The source with the content of its file read, and the index of the frame that it names.
    fileprivate func read() throws -> (source: ImageSource, frame: Int?) {
        func content(_ path: String) throws -> ImageSource {
            .data(try FileContent.read(path, atMost: FileContent.maximumPictureByteCount))
        }
        return switch try resolved() {
        case .file(let path): (try content(path), nil)
        case .frame(let index, let path): (try Self.frame(index, path), index)
        case let source: (source, nil)
        }
    }

    /// A frame of a file that has been read.
    private static func frame(_ index: Int, _ path: String) throws -> ImageSource {
        _ = try FrameFiles.frames(path)
        return .frame(index, ofFile: path)
    }

    /// The source with the content of a file decoded.
    fileprivate func decoded(_ options: Image.DecodingOptions) throws -> ImageSource {
        switch self {
        case .data, .frame: .image(try image(options))
        default: self
        }
    }
}
