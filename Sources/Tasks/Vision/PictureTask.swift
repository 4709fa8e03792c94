import Images
import Inference
import Models
import Platform
import Predicting

/// A task: it recognises the models that are for it, and makes the predictor that reads their outputs.
///
/// A task is a folder of `Tasks`, a case of ``VisionTask``, and a line of ``VisionTask/type``.
package protocol PictureTask: Sendable {
    /// The name in options and sidecar files.
    static var task: VisionTask { get }
    /// What it gives, in a few words.
    static var summary: String { get }
    /// The kind of its answers.
    static var content: ImageAnswer.Content { get }
    /// All kinds of answers that it may give, ``content`` first.
    static var contents: [ImageAnswer.Content] { get }

    /// Whether it says something of a part of a picture, so that it may be a stage of a recipe behind the first.
    static var answersParts: Bool { get }
    /// Whether it reads an output that the user names.
    static var readsNamedOutput: Bool { get }

    /// What says in the network itself that it is for this task, in a few words; nil when nothing does.
    static func evidence(in signature: TaskSignature) -> String?

    /// Whether the task could read outputs of these shapes, if one knew that they are for it.
    static func canRead(_ signature: TaskSignature) -> Bool

    /// The kind of answers for a model, where it depends on the model.
    static func content(for model: Model) -> ImageAnswer.Content

    /// How outputs become answers, in a few words, for people; nil when there is nothing to say.
    static func reading(of model: Model) -> String?

    /// The steps from picture to input that the model gives, as the task takes them; nil where the model gives none.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture.
    static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing?

    /// Starts a predictor.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the outputs are none that the task can read; otherwise as
    ///   ``Session/init(_:options:)``.
    static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor
}

extension PictureTask {
    package static var contents: [ImageAnswer.Content] { [content] }
    package static var answersParts: Bool { true }
    package static var readsNamedOutput: Bool { true }

    package static func content(for model: Model) -> ImageAnswer.Content { content }

    package static func reading(of model: Model) -> String? { nil }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? { model.preprocessing }
}
