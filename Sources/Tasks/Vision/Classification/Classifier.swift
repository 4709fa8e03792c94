import Graphs
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
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
    ///   - preprocessing: The steps from picture to input, in place of the model's own.
    ///   - labels: The names of the classes, in place of the model's own.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture or the preprocessing does not fit
    ///   it; otherwise as ``Session/init(_:options:)``.
    public init(
        _ model: Model, options: Session.Options = Session.Options(), preprocessing: Preprocessing? = nil,
        labels: Labels? = nil, decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        let model = model.describedByFamily()
        let input = try ImageInput(model, preprocessing: preprocessing)
        guard !input.isUnbatched else {
            throw .usage("\(model.name): input \"\(input.name)\" has no axis of the batch, which classifiers need")
        }
        self.labels = labels ?? model.labels
        scores = try ClassScores(model, labels: self.labels)
        pictures = try PicturePreparation(input, decoding, options)
        session = try await Session(model, options: options)
    }

    /// The classes of `count` pictures, from the outputs of one run for all, or of one run for each.
    private func classifications(
        in outputs: [[String: Tensor]], count: Int
    ) throws(ApusError) -> [Result<Classification, RecordError>] {
        var classes: [Result<Classification, RecordError>] = []
        for run in outputs { classes += try scores.classifications(in: run, count: count / outputs.count) }
        return classes
    }
}

extension Classifier: TaskPredictor {
    public var core: PredictorCore<Classification> { PredictorCore(self) }

    package func answers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) throws(ApusError) -> [Result<Classification, RecordError>] {
        try classifications(in: outputs, count: pictures.count)
    }
}
