import Graphs
import Images
import Inference
import Models
import Platform
import Preparation
import Tensors

/// A predictor of a task: a session for pictures, and how its outputs are read.
package protocol TaskPredictor: PicturePredictor {
    var session: Session { get }
    /// The sessions of all networks, that of ``session`` first.
    var sessions: [Session] { get }
    /// Whether answers need the decoded pictures beside their numbers.
    var needsImages: Bool { get }
    /// The names of the classes, when known.
    var labels: Labels? { get }
    /// The preparation of pictures.
    var pictures: PicturePreparation { get }
    /// The kind of answers.
    var content: ImageAnswer.Content { get }
    /// The answer among those of all tasks.
    static func erased(_ answer: Answer) -> ImageAnswer
    /// The settings on which answers depend, beside the model, the labels and the preprocessing.
    var settings: [String: String] { get }
    /// The numbers of the classes in results in COCO's form.
    var categoryIDs: [Int]? { get }
    /// Whether objects have turned boxes.
    var hasCorners: Bool { get }
    /// The shape of the row of numbers that an answer has; nil when it has none, or its extents are not fixed.
    var rowShape: [Int]? { get }
    /// The type of the numbers in that row.
    var rowElementType: ElementType { get }

    /// The inputs of the runs for prepared pictures of equal extents: one run for all, or one for each.
    func runs(of pictures: [PreparedPicture]) throws(ApusError) -> [[String: Tensor]]

    /// The outputs of the network for prepared pictures of equal extents, in the form that ``answers(from:to:)`` takes.
    func outputs(of pictures: [PreparedPicture]) async throws -> [[String: Tensor]]

    /// The answer for each picture, from the outputs of those runs.
    func answers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<Answer, RecordError>]
}

extension TaskPredictor {
    package var sessions: [Session] { [session] }
    package var needsImages: Bool { false }
    package var settings: [String: String] { [:] }
    package var categoryIDs: [Int]? { nil }
    package var hasCorners: Bool { false }
    package var rowShape: [Int]? { session.scoreShape }
    package var rowElementType: ElementType { .float32 }

    package func runs(of pictures: [PreparedPicture]) throws(ApusError) -> [[String: Tensor]] {
        let areJoined = pictures.count == 1 || session.takesBatches && !self.pictures.input.takesSinglePictures
        let groups = areJoined ? [pictures] : pictures.map { [$0] }
        return try groups.map { (group) throws(ApusError) in try joined(group) }
    }

    package func outputs(of pictures: [PreparedPicture]) async throws -> [[String: Tensor]] {
        var outputs: [[String: Tensor]] = []
        for run in try runs(of: pictures) { outputs.append(try await session.predict(run)) }
        return outputs
    }

    /// The answers among those of all tasks, from the outputs of runs.
    package func imageAnswers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<ImageAnswer, RecordError>] {
        try await answers(from: outputs, to: pictures).map { $0.map(Self.erased) }
    }

    /// Joins prepared pictures of equal extents to the inputs of one run.
    package func joined(_ prepared: [PreparedPicture]) throws(ApusError) -> [String: Tensor] {
        do {
            return try pictures.inputs(of: prepared)
        } catch {
            throw ApusError(error, model: session.model.name)
        }
    }
}

extension TaskPredictor where Answer: TaskAnswer {
    package var content: ImageAnswer.Content { ImageAnswer.Content(Answer.self) }
    package static func erased(_ answer: Answer) -> ImageAnswer { ImageAnswer(answer) }
}

extension Session {
    /// The shape of the first output for one picture; nil when it is not fixed.
    fileprivate var scoreShape: [Int]? {
        let graph = model.graph
        guard let shapes = model.inputShapes(forBatch: 1), let output = graph.outputs.first,
            let type = try? graph.inferTypes(inputShapes: shapes)[output.index]
        else { return nil }
        return Array(type.shape.dropFirst())
    }
}

extension TaskPredictor {
    /// The settings on which the numbers of an answer depend, beside the model: the preprocessing, and what the task
    /// has.
    package var answerSettings: [String: String] {
        var settings = settings
        settings["preprocessing"] = pictures.input.preprocessing.description
        if let values = pictures.inputValuesText { settings["inputs"] = values }
        let profile = pictures.decodingOptions.colorProfile
        if profile != .ignore { settings[Self.colorProfileKey] = profile.rawValue }
        return settings
    }

    /// The name of a setting that only runs have which convert colors.
    package static var colorProfileKey: String { "color profile" }
}
