import Images
import Models
import Platform
import Predicting
import Preparation

/// A chain of models: the first looks at whole pictures, and the others at the regions that it finds.
///
///     let recipe = try Recipe.text(
///         detector: Model(contentsOf: "det.onnx"), direction: Model(contentsOf: "cls.onnx"),
///         recognizer: Model(contentsOf: "rec.onnx"))
///
/// A recipe is also a small JSON file, which names the models; see
/// ``init(contentsOf:allowsFilesElsewhere:)``. ``RecipeRunner`` runs it.
public struct Recipe: Sendable {
    /// One model of a recipe, and what happens around it.
    public struct Stage: Sendable {
        /// The name of the stage in answers and messages.
        public let name: String
        /// The model.
        public let model: Model
        /// What the model is for.
        public let task: VisionTask
        /// The part of the picture that the stage looks at; nil for the first stage, which looks at all of it.
        public var region: Region?
        /// The name of the earlier stage whose points the region lies around; nil for what the first stage finds.
        public var origin: String?
        /// The angles in degrees by which the regions are turned for the stages behind, clockwise, by the names of
        /// classes.
        public var turns: [String: Int] = [:]
        /// The least confidence of a class that turns a region, or of a text that is kept.
        public var minimumConfidence: Float?
        /// What the predictor of the stage is made with.
        package var settings = TaskSettings()

        /// Makes a stage.
        ///
        /// - Parameters:
        ///   - task: What the model is for; nil for what it says itself.
        ///   - origin: The stage whose points the region lies around; nil for what the first stage finds.
        ///   - preprocessing: The steps from picture to input, in place of the model's own.
        ///   - labels: The names of the classes, in place of the model's own.
        /// - Throws: ``ApusError/usage(_:)`` when no task is given and nothing says what the model is for.
        public init(
            _ name: String, _ model: Model, task: VisionTask? = nil, region: Region? = nil, origin: String? = nil,
            preprocessing: Preprocessing? = nil, labels: Labels? = nil
        ) throws(ApusError) {
            self.name = name
            self.model = model
            self.task = if let task { task } else { try model.taskForPredictions() }
            (self.region, self.origin) = (region, origin)
            settings.preprocessing = preprocessing
            settings.labels = labels
        }
    }

    /// The stages, in the order in which they run.
    public let stages: [Stage]
    /// Whether what the last stage reads in the objects of the first becomes the lines of one text.
    public let joinsText: Bool

    /// The largest number of stages.
    static let maximumStageCount = 8

    /// Makes a recipe.
    ///
    /// - Parameter joinsText: Whether what the last stage reads in the objects of the first becomes the lines of one
    ///   text.
    /// - Throws: ``ApusError/usage(_:)`` when the stages do not fit together.
    public init(_ stages: [Stage], joinsText: Bool = false) throws(ApusError) {
        (self.stages, self.joinsText) = (stages, joinsText)
        try check()
    }

    /// Refuses stages that do not fit together.
    private func check() throws(ApusError) {
        let outline = stages.map { stage in
            RecipeOutline.Stage(
                name: stage.name, task: stage.task, turns: stage.turns, origin: stage.origin,
                seesPicture: stage.region?.shape == .picture)
        }
        try Self.check(outline, joinsText: joinsText)
        if stages[0].region != nil {
            throw .usage("stage \"\(stages[0].name.printable)\" is the first: it has no region")
        }
    }

    /// Refuses stages that do not fit together.
    static func check(_ stages: [RecipeOutline.Stage], joinsText: Bool) throws(ApusError) {
        if let problem = RecipeOutline(stages, joinsText: joinsText).problem { throw .usage(problem) }
    }

    /// Whether the answer is lines of text.
    var readsText: Bool { stages.first?.task == .text }

    /// The path in messages and manifests: the models of all stages.
    package var name: String { stages.map(\.model.name).joined(separator: " + ") }
}

/// The names, tasks and turns of a recipe's stages, and what is wrong with them.
struct RecipeOutline {
    struct Stage {
        let name: String
        let task: VisionTask
        let turns: [String: Int]
        let origin: String?
        /// Whether the stage looks at the whole picture, though it is not the first.
        let seesPicture: Bool
    }

    private let stages: [Stage]
    private let joinsText: Bool

    init(_ stages: [Stage], joinsText: Bool) { (self.stages, self.joinsText) = (stages, joinsText) }

    /// The tasks that give regions for other stages.
    private static let tasksOfRegions: [VisionTask] = [.text, .detect, .pose]
    /// The tasks that give points around which regions of later stages lie.
    private static let tasksOfPoints: [VisionTask] = [.landmarks, .pose]

    /// What is wrong, in one line; nil for nothing.
    var problem: String? {
        guard let first = stages.first, stages.count >= 2 else { return "a recipe has at least two stages" }
        guard stages.count <= Recipe.maximumStageCount else {
            return "a recipe has at most \(Recipe.maximumStageCount) stages, not \(stages.count)"
        }
        var names: Set<String> = []
        for stage in stages {
            let name = "stage \"\(stage.name.printable)\""
            if stage.name.isEmpty || stage.name.utf8.count > 64 { return "the name of a stage has 1 to 64 bytes" }
            guard names.insert(stage.name).inserted else { return "\(name) occurs twice" }
            if let problem = problem(of: stage) { return "\(name) \(problem)" }
        }
        guard Self.tasksOfRegions.contains(first.task) else {
            let tasks = Self.tasksOfRegions.map(\.rawValue).joined(separator: " or ")
            return "stage \"\(first.name.printable)\" is the first: its task must be \(tasks), which finds regions, "
                + "not \(first.task.rawValue)"
        }
        if first.task == .text, stages.last?.task != .text {
            return "the last stage behind one that finds lines of text must read them, with the task text"
        }
        if joinsText, stages.last?.task != .text {
            return "the answer is to be text, which the last stage must read, with the task text"
        }
        return nil
    }

    /// What is wrong with one stage.
    private func problem(of stage: Stage) -> String? {
        if !stage.turns.isEmpty, stage.task != .classify { return "turns regions, which only the task classify does" }
        if let angle = stage.turns.values.first(where: { ![0, 90, 180, 270].contains($0) }) {
            return "turns by \(angle)°; there are 0, 90, 180 and 270"
        }
        guard stage.name != stages[0].name else { return nil }
        if let problem = problemOfOrigin(stage) { return problem }
        if stage.seesPicture {
            guard stages[0].task == .text, stage.task == .detect, stage.origin == nil else {
                return "looks at the whole picture, as only a stage of the task detect does, for the layout of text"
            }
            let count = stages.count { $0.seesPicture }
            return count > 1 ? "is one of \(count) for the layout, of which there is at most one" : nil
        }
        if !stage.task.type.answersParts { return "has the task \(stage.task.rawValue), of whole pictures" }
        if stages[0].task == .text, ![.text, .classify].contains(stage.task) {
            return "neither turns lines of text nor reads them"
        }
        return nil
    }

    /// What is wrong with the stage whose points a region lies around.
    private func problemOfOrigin(_ stage: Stage) -> String? {
        guard let name = stage.origin else { return nil }
        let before = stages.prefix { $0.name != stage.name }
        guard let origin = before.first(where: { $0.name == name }) else {
            return "takes its regions from \"\(name.printable)\", which is no stage before it"
        }
        if origin.name == stages[0].name || Self.tasksOfPoints.contains(origin.task) { return nil }
        let tasks = Self.tasksOfPoints.map(\.rawValue).joined(separator: " or ")
        return "takes its regions from \"\(name.printable)\", but only the first stage and those with the task "
            + "\(tasks) find any"
    }
}

extension Recipe {
    /// The stage behind the first whose points the region of a stage lies around; nil for what the first stage finds.
    func origin(of stage: Stage) -> String? { stage.origin == stages[0].name ? nil : stage.origin }

    /// The part of the picture that a stage behind the first looks at.
    package func region(of stage: Stage) -> Region {
        stage.region ?? Region(readsText ? .corners : .box)
    }
}

extension Recipe.Stage {
    /// The steps from the picture or its part to the input; nil when the network does not take one picture.
    package var steps: Preprocessing? {
        guard let model = try? prepared() else { return nil }
        return try? ImageInput(model, preprocessing: settings.preprocessing).preprocessing
    }
}
