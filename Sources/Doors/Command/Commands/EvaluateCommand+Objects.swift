import Apus
import FoundationEssentials
import Logging
import Measuring
import SharedOptions

extension EvaluateCommand {
    /// Compares results that a file has.
    func evaluateResults() throws {
        guard let (results, truth) = try objects.files() else { return }
        var claims = writing.claims(reading: [objects.results, objects.annotations])
        if let report { try claims.add(report, as: .page(.evaluation), option: "--report") }
        try claims.check()
        let evaluation = try DetectionEvaluation(
            of: results, against: truth, kind: objects.kind, worstPictures: max(show, 24))
        try answer(evaluation, title: "\(objects.results ?? "") against \(objects.annotations ?? "")", claims)
    }

    /// Finds the objects of pictures with their boxes, masks or points, and compares them.
    func evaluateObjects(
        _ model: Model, _ options: Session.Options, _ dataset: any Dataset, _ claims: OutputClaims, _ logger: Logger
    ) async throws {
        let task = objects.taskOfObjects(model)
        var model = model
        var settings = TaskSettings()
        let configuration = try objects.detection.configuration(
            task == .detect ? model.detection : model.decoding, minimumConfidence: objects.minConfidence)
        if task == .detect {
            settings.detection = configuration
        } else {
            (settings.decodingConfiguration, settings.minimumConfidence) = (configuration, objects.minConfidence)
        }
        model.preprocessing = try task.type.preprocessing(of: model, settings)
        settings.preprocessing = try preprocessing.preprocessing(for: model).steps
        settings.labels = try naming.names()
        settings.decoding = preprocessing.decoding
        let predictor = try await task.type.predictor(model, settings, options: options)
        guard DetectionEvaluation.kind(of: predictor.content) != nil else {
            throw ApusError.usage(
                "\(model.name): gives the classes of pixels, not objects; compare them with a folder of masks, --truth")
        }
        try await evaluateObjects(predictor, model.name, nil, dataset, claims, logger)
    }

    /// Finds objects with a recipe, and compares their boxes, or the points that its stages find.
    func evaluateObjects(
        recipe path: String, _ options: Session.Options, _ dataset: any Dataset, _ claims: OutputClaims,
        _ logger: Logger
    ) async throws {
        let recipe = try Recipe(
            contentsOf: path, allowsFilesElsewhere: loading.recipeFilesAnywhere)
        guard recipe.stages[0].task == .detect else {
            throw ApusError.usage("\(path): finds lines of text, which --annotations does not have; give --truth")
        }
        let runner = try await RecipeRunner(recipe, options: options, decoding: preprocessing.decoding)
        let kind: DetectionEvaluation.Kind = recipe.stages.contains { $0.task == .pose } ? .keypoints : .boxes
        try await evaluateObjects(runner, path, kind, dataset, claims, logger)
    }

    private func evaluateObjects(
        _ predictor: any TaskPredictor, _ name: String, _ kind: DetectionEvaluation.Kind?, _ dataset: any Dataset,
        _ claims: OutputClaims, _ logger: Logger
    ) async throws {
        guard let annotations = objects.annotations else { return }
        let truth = try COCOGroundTruth(contentsOf: annotations)
        for session in predictor.sessions { session.warn(logger) }
        var options = Evaluation.Options()
        (options.batch, options.mistakeCount, options.keepsThumbnails) = (batch, max(show, 24), report != nil)
        var line = ProgressLine(progress, isQuiet: logging.quiet, rowsGoToTerminal: false)
        line.begin()
        defer { line.clear() }
        let evaluation = try await DetectionEvaluation(
            of: predictor, on: dataset, against: truth, kind: kind, options: options
        ) { line.update($0) }
        line.clear()
        try answer(evaluation, title: "\(name) on \(inputs.joined(separator: ", "))", claims)
        if evaluation.failedCount > 0 { throw ExitStatus.doneWithFailures }
    }

    private func answer(_ evaluation: DetectionEvaluation, title: String, _ claims: OutputClaims) throws {
        try answer(evaluation, DetectionEvaluationText(evaluation, title: title, show: show).lines, claims) {
            try DetectionEvaluationPage(evaluation, title: title).write(to: $0)
        }
    }
}
