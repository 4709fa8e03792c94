import Inference
import Models
import Predicting

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
        case .regress: RegressTask.self
        case .raw: RawTask.self
        }
    }

    /// What the task gives, in a few words.
    public var summary: String { type.summary }
}

extension ImageAnswer.Content: CaseIterable {
    /// All kinds of answers: those of tasks, and that of a recipe.
    public static var allCases: [ImageAnswer.Content] { Catalog.tasks.flatMap { $0.contents } + [.parts] }

    /// The kinds that can be written in a form.
    package static func all(in form: AnswerForms) -> Set<ImageAnswer.Content> {
        Set(allCases.filter { $0.type.forms.contains(form) })
    }
}

extension AnswerTable {
    /// The tables of all kinds of answers that have one of these names.
    package static func named(_ names: Set<String?>) -> [AnswerTable] {
        ImageAnswer.Content.allCases.map { $0.type.table }.filter { names.contains($0.name) }
    }
}
