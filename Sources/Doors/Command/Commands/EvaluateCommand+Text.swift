import Apus
import ArgumentParser
import FoundationEssentials
import Logging
import Measuring

extension EvaluateCommand {
    /// Compares the texts that a recipe reads with the true ones.
    func evaluateText(
        recipe path: String, _ options: Session.Options, _ dataset: any Dataset, _ claims: OutputClaims,
        _ logger: Logger
    ) async throws {
        guard objects.chosenTask == .text else {
            throw ApusError.usage(
                "\(path): a recipe is evaluated by the texts that it reads; give them with --truth texts.csv")
        }
        let recipe = try Recipe(
            contentsOf: path, allowsFilesElsewhere: loading.recipeFilesAnywhere)
        let recognizer = try await TextRecognizer(recipe, options: options, decoding: preprocessing.decoding)
        try await evaluateText(recognizer.runner, path, dataset, claims, logger)
    }

    /// Compares the texts that one network reads, such as a recogniser of lines, with the true ones.
    func evaluateText(
        _ model: Model, _ options: Session.Options, _ dataset: any Dataset, _ claims: OutputClaims,
        _ logger: Logger
    ) async throws {
        var settings = TaskSettings()
        var model = model
        model.preprocessing = try VisionTask.text.type.preprocessing(of: model, settings)
        settings.preprocessing = try preprocessing.preprocessing(for: model).steps
        settings.decoding = preprocessing.decoding
        settings.outputName = objects.outputName
        let predictor = try await VisionTask.text.type.predictor(model, settings, options: options)
        try await evaluateText(predictor, model.name, dataset, claims, logger)
    }

    private func evaluateText(
        _ predictor: any TaskPredictor, _ name: String, _ dataset: any Dataset, _ claims: OutputClaims,
        _ logger: Logger
    ) async throws {
        let truth = try TextTruth(contentsOf: objects.truth ?? "")
        for session in predictor.sessions { session.warn(logger) }
        var options = Evaluation.Options()
        (options.batch, options.mistakeCount) = (batch, show)
        var line = ProgressLine(progress, isQuiet: logging.quiet, rowsGoToTerminal: false)
        line.begin()
        defer { line.clear() }
        let evaluation = try await TextEvaluation(
            of: predictor, on: dataset, against: truth, options: options
        ) { line.update($0) }
        line.clear()
        let title = "\(name) on \(inputs.joined(separator: ", "))"
        try answer(evaluation, OtherEvaluationText.lines(evaluation, title), claims) {
            try OtherEvaluationPage(evaluation, title: title).write(to: $0)
        }
        if evaluation.failedCount > 0 { throw ExitStatus.doneWithFailures }
    }
}
