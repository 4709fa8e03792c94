import Datasets
import Images
import Inference
import Models
import Platform
import Predicting
import Preparation

/// Finds the lines of text in pictures and reads them, with the models of a recipe.
///
///     let recognizer = try await TextRecognizer(
///         detector: Model(contentsOf: "det.onnx"), direction: Model(contentsOf: "cls.onnx"),
///         recognizer: Model(contentsOf: "rec.onnx"))
///     print(try await recognizer.predict(.file("page.png")).string)
///
/// Every method may be called from any task.
public struct TextRecognizer: PicturePredictor {
    /// What runs the models.
    public let runner: RecipeRunner

    /// Starts the sessions of a recipe that reads text.
    ///
    /// - Throws: ``ApusError/usage(_:)`` for a recipe that finds objects.
    public init(
        _ recipe: Recipe, options: Session.Options = Session.Options(),
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        guard recipe.readsText else { throw .usage("\(recipe.name): the first stage finds no lines of text") }
        runner = try await RecipeRunner(recipe, options: options, decoding: decoding)
    }

    /// Starts the sessions of a detector, a classifier of directions and a recogniser, as
    /// ``Recipe/text(detector:direction:recognizer:detection:minimumConfidence:)`` chains them.
    public init(
        detector: Model, direction: Model? = nil, recognizer: Model, options: Session.Options = Session.Options()
    ) async throws(ApusError) {
        let recipe = try Recipe.text(detector: detector, direction: direction, recognizer: recognizer)
        try await self.init(recipe, options: options)
    }

    /// The lines of a picture come in reading order.
    public var core: PredictorCore<RecognizedText> {
        runner.core.mapped(erased: ImageAnswer.init) { answer throws(RecordError) in try answer.required() }
    }
}

extension TextRecognizer {
    /// Reads every picture of a dataset whose text is known, and compares.
    ///
    /// - Parameter progress: Called after each picture.
    /// - Throws: ``ApusError/usage(_:)`` when the text of no picture is known; otherwise the errors of predictions.
    public func evaluate(
        _ dataset: some Dataset, against truth: TextTruth, options: EvaluationOptions = EvaluationOptions(),
        progress: (RunProgress) -> Void = { _ in }
    ) async throws -> TextEvaluation {
        try await TextEvaluation(of: runner, on: dataset, against: truth, options: options, progress: progress)
    }
}
