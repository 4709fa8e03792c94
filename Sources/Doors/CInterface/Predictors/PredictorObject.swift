import Apus
import CApus
import SharedOptions

/// A model that answers about pictures.
final class PredictorObject: HandleObject {
    static let kind = "predictor"

    let predictor: any TaskPredictor
    let tracking: ObjectTracker.Options?
    /// The path of the model in outputs.
    let name: String
    /// The options with which the predictor was started.
    let options: InterfaceOptions
    private let runner: BatchRunner<AnyPredictor>

    /// Starts a predictor.
    ///
    /// - Parameter model: The model, when it was read before.
    init(_ path: String, _ model: Model?, _ options: InterfaceOptions) async throws {
        var choice = options.choice(path)
        choice.model = model
        let recipe = try choice.recipe()
        let session = try options.sessionOptions(profiling: path)
        (predictor, tracking) = try await choice.predictor(recipe, options: session)
        name = path
        self.options = options
        runner = BatchRunner(AnyPredictor(predictor), options: try options.runnerOptions(predictor.content))
    }

    /// The answers to pictures.
    func answers(_ pictures: [PictureObject]) async throws -> [AnswerObject] {
        let records = pictures.map { ImageRecord(id: "", source: $0.source) }
        let rows = options.rowOptions(predictor.content)
        return try await runner.predict(records).map { AnswerObject($0, rows) }
    }

    /// A runner over datasets.
    ///
    /// - Parameter options: Those of the run.
    func runner(_ options: InterfaceOptions) throws -> BatchRunner<AnyPredictor> {
        var settings = try options.runnerOptions(predictor.content)
        settings.tracking = tracking
        try options.files.add(to: &settings, replacingOthers: options.writing.force)
        return BatchRunner(AnyPredictor(predictor), options: settings)
    }
}
