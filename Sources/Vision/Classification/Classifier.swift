import Graphs
import Images
import Inference
import Platform
import Tensors

/// A session that takes pictures and gives their classes.
///
///     let classifier = try await Classifier(Model(contentsOf: "squeezenet1_1.onnx"))
///     let answer = try await classifier.predict(.file("coffee.png"))
///     print(answer.label ?? "?", answer.confidence)       // espresso 0.999
///
/// Every method may be called from any task. Decoding and preprocessing run on the classifier's threads.
public final class Classifier: Sendable {
    /// The session that runs the network.
    public let session: Session
    /// The names of the classes, when known.
    public let labels: Labels?
    /// Whether the preprocessing is guessed: values from 0 to 1 in RGB, since neither the model nor the caller gave
    /// any.
    public var isPreprocessingGuessed: Bool { pictures.input.isGuessed }
    /// The steps from picture to input.
    public var preprocessing: Preprocessing { pictures.input.preprocessing }

    package let pictures: PicturePreparation
    private let scores: ClassScores

    /// Starts a classifier.
    ///
    /// The elements of the first output are the classes. Confidences are the softmax of the output, unless the network
    /// itself ends in Softmax, or in Sigmoid, as where several classes of a picture may hold.
    ///
    /// - Parameters:
    ///   - preprocessing: Overrides the model's own.
    ///   - labels: Override the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture or the preprocessing does not fit
    ///   it; otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), preprocessing: Preprocessing? = nil,
        labels: Labels? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        let input = try ImageInput(model, preprocessing: preprocessing)
        guard !input.isUnbatched else {
            throw .usage("\(model.name): input \"\(input.name)\" has no axis of the batch, which classifiers need")
        }
        self.labels = labels ?? model.labels
        scores = ClassScores(model, labels: self.labels)
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// Predicts one picture.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    public func predict(_ source: ImageSource) async throws -> Classification {
        do {
            return try await classify([try await pictures.prepare(source)])[0]
        } catch is CancellationError {
            throw ApusError.cancelled
        }
    }

    /// Predicts prepared pictures of equal extents as one batch.
    package func classify(_ pictures: [PreparedPicture]) async throws(ApusError) -> [Classification] {
        try scores.classifications(in: try await session.predict(try joined(pictures)), count: pictures.count)
    }
}

extension Classifier: PicturePredictor {
    package func answers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) throws(ApusError) -> [Result<ImageAnswer, RecordError>] {
        guard let outputs = outputs.first else { return [] }
        return try scores.classifications(in: outputs, count: pictures.count).map {
            $0.checked.map(ImageAnswer.classes)
        }
    }
}

extension Classification {
    /// The classification, or an error when confidences are not finite.
    fileprivate var checked: Result<Classification, RecordError> {
        let badCount = confidences.count { !$0.isFinite }
        if badCount == 0 { return .success(self) }
        let message = "\(badCount) of \(confidences.count) confidences are not finite numbers"
        return .failure(RecordError(stage: "predict", code: "not-finite", message: message))
    }
}
