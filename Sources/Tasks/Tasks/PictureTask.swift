import Images
import Inference
import Platform

/// A task: it recognises the models that are for it, and makes the predictor that reads their outputs.
///
/// A task is one file in `Tasks`, a case of ``VisionTask``, and a line of ``Catalog/tasks``.
package protocol PictureTask: Sendable {
    /// The name in options and sidecar files.
    static var task: VisionTask { get }
    /// What it gives, in a few words.
    static var summary: String { get }
    /// The kind of its answers.
    static var content: ImageAnswer.Content { get }

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
    ) async throws(ApusError) -> any PicturePredictor
}

extension PictureTask {
    package static func content(for model: Model) -> ImageAnswer.Content { content }

    package static func reading(of model: Model) -> String? { nil }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? { model.preprocessing }
}

/// What a predictor of any task is made with, beside the model.
package struct TaskSettings: Sendable {
    /// Overrides the model's own.
    package var preprocessing: Preprocessing?
    /// Override the model's own.
    package var labels: Labels?
    /// The limits of decoding.
    package var decoding = Image.DecodingOptions()
    /// The name of the value that is read, an output or the result of any node; nil for the task's own choice.
    package var outputName: String?
    /// How an output becomes the classes of pixels.
    package var segmentation = Segmenter.Options()
    /// How an output becomes a vector.
    package var embedding = Embedder.Options()
    /// Which output becomes depth, and the range of its files.
    package var depth = DepthEstimator.Options()
    /// How pictures are made.
    package var image = ImageGenerator.Options()
    /// How lines of text are found.
    package var text = TextDetector.Options()
    /// How outputs become objects.
    package var detection: DetectionConfiguration?
    /// How outputs become poses, landmarks or instances.
    package var decodingConfiguration: DetectionConfiguration?
    /// Objects, poses and landmarks with less confidence are left out; nil for the decoder's own limit.
    package var minimumConfidence: Float?

    package init() {}
}

extension Catalog {
    /// The tasks, in the order in which they look for evidence.
    package static let tasks: [any PictureTask.Type] = VisionTask.allCases.map(\.type)
}

extension VisionTask {
    /// The task of this name.
    package var type: any PictureTask.Type {
        switch self {
        case .classify: ClassifyTask.self
        case .detect: DetectTask.self
        case .segment: SegmentTask.self
        case .pose: PoseTask.self
        case .landmarks: LandmarksTask.self
        case .embed: EmbedTask.self
        case .depth: DepthTask.self
        case .image: ImageTask.self
        case .text: TextTask.self
        case .raw: RawTask.self
        }
    }

    /// What the task gives, in a few words.
    public var summary: String { type.summary }
}
