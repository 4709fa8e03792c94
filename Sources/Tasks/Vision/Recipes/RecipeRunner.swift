import Images
import Inference
import Models
import Platform
import Predicting
import Preparation
import Tensors

/// Runs a recipe on pictures.
///
///     let runner = try await RecipeRunner(Recipe(contentsOf: "ocr.recipe.json"))
///     if let text = try await runner.predict(.file("page.png")).text { print(text.string) }
///
/// The parts of several pictures run together, and the bits of an answer do not depend on them. Every method may be
/// called from any task.
public final class RecipeRunner: Sendable {
    /// The recipe.
    public let recipe: Recipe

    let first: any TaskPredictor
    let others: [StageRunner]

    /// Starts the sessions of all stages.
    ///
    /// - Throws: As the types of the stages' tasks.
    public init(
        _ recipe: Recipe, options: Session.Options = Session.Options(),
        decoding: Image.DecodingOptions = Image.DecodingOptions()
    ) async throws(ApusError) {
        self.recipe = recipe
        let stage = recipe.stages[0]
        var settings = stage.settings
        settings.decoding = decoding
        first = try await stage.task.type.predictor(stage.prepared(), settings, options: options)
        var others: [StageRunner] = []
        for next in recipe.stages.dropFirst() {
            others.append(try await StageRunner(next, of: recipe, options: options))
        }
        self.others = others
        if recipe.readsText, !(first is TextDetector) {
            throw .usage("\(stage.model.name): stage \"\(stage.name.printable)\" finds no lines of text")
        }
    }
}

extension RecipeRunner: TaskPredictor {
    public var core: PredictorCore<ImageAnswer> { PredictorCore(self) }

    package static func erased(_ answer: ImageAnswer) -> ImageAnswer { answer }

    package var session: Session { first.session }
    package var sessions: [Session] { [first.session] + others.map(\.predictor.session) }
    package var labels: Labels? { first.labels }
    package var pictures: PicturePreparation { first.pictures }
    package var content: ImageAnswer.Content { recipe.readsText || recipe.joinsText ? .text : .parts }
    package var rowShape: [Int]? { nil }
    package var needsImages: Bool { true }

    package var settings: [String: String] {
        var all = recipe.stages[0].settings(first)
        for (position, runner) in others.enumerated() {
            all.merge(runner.stage.settings(runner.predictor)) { $1 }
            all["\(runner.stage.name): region"] = runner.region.description
            if let origin = runner.origin { all["\(runner.stage.name): from"] = origin }
            all["\(runner.stage.name): place"] = "\(position + 2)"
        }
        return all
    }

    package func runs(of pictures: [PreparedPicture]) throws(ApusError) -> [[String: Tensor]] {
        try first.runs(of: pictures)
    }

    package func answers(
        from outputs: [[String: Tensor]], to pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Result<ImageAnswer, RecordError>] {
        let found = try await first.imageAnswers(from: outputs, to: pictures)
        var subjects: [PictureSubjects?] = []
        for (answer, picture) in zip(found, pictures) {
            guard case .success(let answer) = answer, let image = picture.image else {
                subjects.append(nil)
                continue
            }
            subjects.append(try await onThread { PictureSubjects(answer, in: image) })
        }
        var parts = PartAnswers(subjects)
        let layouts = try await layouts(of: found, in: pictures)
        let regions = others.filter { $0.origin == nil && !$0.seesPicture }.map(\.region)
        let around = others.filter { $0.origin != nil }.map(\.region)
        for batch in parts.batches(regions, around: around) { try await answer(batch, into: &parts) }
        return zip(found, subjects).enumerated().map { index, pair in
            guard case .success(let answer) = pair.0 else { return pair.0 }
            guard pair.1 != nil else {
                let message = "is an array of numbers; a recipe cuts parts out of pictures"
                return .failure(RecordError(stage: "predict", code: "no-picture", message: message))
            }
            return RecordError.catching {
                let joined = try recipe.joined(answer, parts.answers(of: index))
                guard let layout = try layouts[index]?.get(), let text = joined.text else { return joined }
                return ImageAnswer(text.arranged(by: layout))
            }
        }
    }

    /// What the stage that looks at whole pictures finds in those where the first stage found something.
    private func layouts(
        of found: [Result<ImageAnswer, RecordError>], in pictures: [PreparedPicture]
    ) async throws(ApusError) -> [Int: Result<ObjectDetection, RecordError>] {
        guard let runner = others.first(where: \.seesPicture) else { return [:] }
        var images: [(index: Int, image: Image)] = []
        for (index, answer) in found.enumerated() {
            if case .success(let answer) = answer, let image = pictures[index].image,
                answer.text.map({ !$0.lines.isEmpty }) ?? false
            {
                images.append((index, image))
            }
        }
        var layouts: [Int: Result<ObjectDetection, RecordError>] = [:]
        for (entry, answer) in zip(images, try await runner.answers(to: images.map(\.image))) {
            layouts[entry.index] = answer.flatMap { answer in
                answer.objects.map(Result.success)
                    ?? .failure(RecordError(stage: "predict", code: "failed", message: "there are no objects"))
            }.mapError { error in
                RecordError(
                    stage: error.stage, code: error.code, message: "stage \(runner.stage.name): \(error.message)")
            }
        }
        return layouts
    }

    /// Runs all stages behind the first on some parts.
    private func answer(_ batch: [PartAnswers.Place], into parts: inout PartAnswers) async throws(ApusError) {
        // Crops in memory, turned ones beside them.
        let byteCount = batch.reduce(0) { $0 + $1.pixelCount } * 6
        do {
            try MemoryBudget.process.reserve(byteCount)
        } catch {
            throw ApusError(error, model: recipe.name)
        }
        defer { MemoryBudget.process.release(byteCount) }
        var view: (region: Region, origin: String?)?
        // Nil where the stage around whose points a region lies found none.
        var crops: [Result<RegionCrop, RecordError>?] = []
        for runner in others where !runner.seesPicture {
            if view.map({ $0.region != runner.region || $0.origin != runner.origin }) ?? true {
                crops = try await cut(batch, parts, runner)
                view = (runner.region, runner.origin)
            }
            let images = crops.compactMap { try? $0?.get().image }
            var answers = try await runner.answers(to: images)[...]
            for (index, place) in batch.enumerated() {
                switch crops[index] {
                case nil: continue
                case .failure(let error): parts.add(.failure(error), of: runner.stage, at: place)
                case .success(let crop):
                    let answer = answers.popFirst() ?? .failure(.cancelled)
                    if let classes = (try? answer.get())?.classes {
                        crops[index] = .success(crop.turned(by: runner.stage.turn(for: classes)))
                    }
                    let size = parts.subjects[place.picture]?.size ?? crop.image.size
                    parts.add(answer.map { $0.placed(by: crop, in: size) }, of: runner.stage, at: place)
                }
            }
        }
    }

    private func cut(
        _ batch: [PartAnswers.Place], _ parts: PartAnswers, _ runner: StageRunner
    ) async throws(ApusError) -> [Result<RegionCrop, RecordError>?] {
        do {
            return try await withThrowingTaskGroup(of: (Int, Result<RegionCrop, RecordError>).self) { group in
                for (index, place) in batch.enumerated() {
                    guard let subjects = parts.subjects[place.picture] else { continue }
                    let points = runner.origin.flatMap { parts.points(of: $0, at: place) }
                    if runner.origin != nil, points == nil { continue }
                    group.addTask { [pictures, region = runner.region] in
                        let crop = try await pictures.executor.run {
                            RecordError.catching { try subjects.crop(place.part, region, around: points) }
                        }
                        return (index, crop)
                    }
                }
                let results = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                return batch.indices.map { results[$0] }
            }
        } catch {
            throw ApusError(error, model: recipe.name)
        }
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws(ApusError) -> Value {
        do {
            return try await pictures.executor.run(body)
        } catch {
            throw ApusError(error, model: recipe.name)
        }
    }
}
