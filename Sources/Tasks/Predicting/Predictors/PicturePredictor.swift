import Images
import Platform
import Preparation
import Tensors

/// What answers questions about pictures: a ``Classifier``, an ``ObjectDetector``, or the predictor of another task.
///
///     let records = BatchRunner(classifier, options: .init(batch: 32)).predictions(over: .imageFolder("photos"))
///
/// A type of yours conforms to it by giving the ``core`` of the predictor that it wraps.
public protocol PicturePredictor<Answer>: Sendable {
    /// What it says about a picture.
    associatedtype Answer: Sendable

    /// What runs the network and reads its outputs.
    var core: PredictorCore<Answer> { get }
}

extension PicturePredictor {
    /// The answer to one picture.
    ///
    ///     let answer = try await classifier.predict(.file("coffee.png"))
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    public func predict(_ source: ImageSource) async throws -> Answer { try await core.answer(to: source) }

    /// The answer to one picture with values of its own for other inputs of the network; see ``InputValue/ofRecord``.
    ///
    ///     let answer = try await reader.predict(.file("a.png"), inputs: ["second": .file("b.png")])
    ///
    /// - Throws: ``RecordError`` when a picture or a value is at fault; ``ApusError`` when something else is.
    public func predict(_ source: ImageSource, inputs: [String: ImageSource]) async throws -> Answer {
        try await core.answer(to: source, inputs: inputs)
    }
}

/// What runs the network of a predictor and reads its outputs.
public struct PredictorCore<Answer: Sendable>: Sendable {
    /// The predictor.
    package let predictor: any TaskPredictor
    private let read:
        @Sendable ([[String: Tensor]], [PreparedPicture]) async throws(ApusError) -> [Result<Answer, RecordError>]
    /// The answer among those of all tasks.
    package let erased: @Sendable (Answer) -> ImageAnswer

    package init<Predictor: TaskPredictor>(_ predictor: Predictor) where Predictor.Answer == Answer {
        self.predictor = predictor
        read = { outputs, pictures throws(ApusError) in try await predictor.answers(from: outputs, to: pictures) }
        erased = { Predictor.erased($0) }
    }

    private init(
        _ predictor: any TaskPredictor, erased: @escaping @Sendable (Answer) -> ImageAnswer,
        read:
            @escaping @Sendable ([[String: Tensor]], [PreparedPicture]) async throws(ApusError) -> [Result<
                Answer, RecordError
            >]
    ) {
        (self.predictor, self.erased, self.read) = (predictor, erased, read)
    }

    /// The core of a predictor whose answers are made of those of this one.
    package func mapped<New>(
        erased: @escaping @Sendable (New) -> ImageAnswer,
        _ transform: @escaping @Sendable (Answer) throws(RecordError) -> New
    ) -> PredictorCore<New> {
        PredictorCore<New>(predictor, erased: erased) { outputs, pictures throws(ApusError) in
            try await read(outputs, pictures).map { answer in
                answer.flatMap { answer in Result { () throws(RecordError) in try transform(answer) } }
            }
        }
    }

    /// The answer for each picture, from the outputs of the network.
    package func answers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<Answer, RecordError>] { try await read(outputs, pictures) }

    /// The answers to prepared pictures of equal extents, as one batch.
    package func answers(to pictures: [PreparedPicture]) async throws -> [Result<Answer, RecordError>] {
        try await answers(from: predictor.outputs(of: pictures), to: pictures)
    }

    /// The answer to one picture.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    package func answer(to source: ImageSource, inputs: [String: ImageSource] = [:]) async throws -> Answer {
        do {
            let picture = try await predictor.pictures.prepare(
                source, others: inputs, keepsImage: predictor.needsImages)
            return try await answers(to: [picture])[0].get()
        } catch is CancellationError {
            throw ApusError.cancelled
        }
    }
}

/// The predictor of a task that is chosen while the process runs. Its answers tell what they are.
package struct AnyPredictor: PicturePredictor {
    package let core: PredictorCore<ImageAnswer>

    package init(_ predictor: some TaskPredictor) { core = PredictorCore(erasing: predictor) }
}

extension PredictorCore where Answer == ImageAnswer {
    fileprivate init<Predictor: TaskPredictor>(erasing predictor: Predictor) {
        self.init(predictor, erased: { $0 }) { outputs, pictures throws(ApusError) in
            try await predictor.answers(from: outputs, to: pictures).map { $0.map(Predictor.erased) }
        }
    }
}
