import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// A stage behind the first, ready to run on parts of pictures.
struct StageRunner: Sendable {
    let stage: Recipe.Stage
    let predictor: any TaskPredictor
    let region: Region
    /// The stage behind the first whose points the region lies around; nil for what the first stage finds.
    let origin: String?

    /// Whether the stage looks at whole pictures.
    var seesPicture: Bool { region.shape == .picture }

    /// The number of parts in one run. Answers do not depend on it.
    private static let batch = 16

    init(_ stage: Recipe.Stage, of recipe: Recipe, options: Session.Options) async throws(ApusError) {
        self.stage = stage
        (region, origin) = (recipe.region(of: stage), recipe.origin(of: stage))
        predictor = try await stage.task.type.predictor(stage.prepared(), stage.settings, options: options)
        if recipe.readsText || recipe.joinsText, stage.task == .text, !(predictor is TextLineReader) {
            throw .usage("\(stage.model.name): stage \"\(stage.name.printable)\" reads no lines of text")
        }
    }

    /// The answers to parts of pictures. Parts that give inputs of one shape run together.
    func answers(to images: [Image]) async throws(ApusError) -> [Result<ImageAnswer, RecordError>] {
        let prepared = try await prepare(images)
        var answers = [Result<ImageAnswer, RecordError>?](repeating: nil, count: images.count)
        var groups: [[[Int]]: [(index: Int, picture: PreparedPicture)]] = [:]
        for (index, result) in prepared.enumerated() {
            switch result {
            case .success(let picture): groups[picture.shapes, default: []].append((index, picture))
            case .failure(let error): answers[index] = .failure(error)
            }
        }
        for group in groups.values {
            for start in stride(from: 0, to: group.count, by: Self.batch) {
                let part = group[start..<min(start + Self.batch, group.count)]
                for (entry, answer) in zip(part, try await predict(part.map(\.picture))) {
                    answers[entry.index] = answer
                }
            }
        }
        return answers.map { $0 ?? .failure(RecordError(stage: "predict", code: "failed", message: "has no answer")) }
    }

    private func predict(_ pictures: [PreparedPicture]) async throws(ApusError) -> [Result<ImageAnswer, RecordError>] {
        var outputs: [[String: Tensor]] = []
        for run in try predictor.runs(of: pictures) { outputs.append(try await predictor.session.predict(run)) }
        return try await predictor.imageAnswers(from: outputs, to: pictures)
    }

    private func prepare(_ images: [Image]) async throws(ApusError) -> [Result<PreparedPicture, RecordError>] {
        do {
            return try await withThrowingTaskGroup(of: (Int, Result<PreparedPicture, RecordError>).self) { group in
                for (index, image) in images.enumerated() {
                    group.addTask {
                        (index, try await predictor.pictures.prepare(.image(image), id: "", within: nil, StageTimes()))
                    }
                }
                let results = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                return images.indices.compactMap { results[$0] }
            }
        } catch {
            throw ApusError(error, model: stage.model.name)
        }
    }
}

extension Recipe.Stage {
    /// The model with the steps that its task takes.
    func prepared() throws(ApusError) -> Model {
        var model = model
        if settings.preprocessing == nil { model.preprocessing = try task.type.preprocessing(of: model, settings) }
        return model
    }

    /// The options on which the answers of the stage depend.
    func settings(_ predictor: any TaskPredictor) -> [String: String] {
        var all = predictor.settings
        all["task"] = task.rawValue
        all["model"] = model.fingerprint
        all["preprocessing"] = predictor.pictures.input.preprocessing.description
        if let values = predictor.pictures.inputValuesText { all["inputs"] = values }
        all["labels"] = predictor.labels.map(\.fingerprint) ?? "none"
        if !turns.isEmpty {
            all["turns"] = turns.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        }
        if let minimumConfidence { all["confidence"] = "\(minimumConfidence)" }
        return Dictionary(uniqueKeysWithValues: all.map { ("\(name): \($0.key)", $0.value) })
    }
}
