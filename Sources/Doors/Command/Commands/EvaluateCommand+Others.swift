import Apus
import FoundationEssentials
import Logging
import Measuring
import SharedOptions

extension EvaluateCommand {
    /// Compares the classes or depths of pixels, or vectors with one another.
    func evaluateOthers(
        _ model: Model, _ sessionOptions: Session.Options, _ dataset: any Dataset, _ claims: OutputClaims,
        _ logger: Logger
    ) async throws {
        var model = model
        let task = objects.chosenTask
        model.preprocessing = try task.type.preprocessing(of: model, TaskSettings())
        let steps = try preprocessing.preprocessing(for: model)
        if steps.isGuessed { PreprocessingOptions.warnOfGuess(model, logger) }
        var options = Evaluation.Options()
        options.batch = batch
        var line = ProgressLine(progress, isQuiet: logging.quiet, rowsGoToTerminal: false)
        line.begin()
        defer { line.clear() }
        let title = "\(model.name) on \(inputs.joined(separator: ", "))"
        let failedCount: Int
        switch task {
        case .segment:
            let names = try naming.names()
            let segmenter = try await Segmenter(
                model, options: sessionOptions, segmentation: .init(output: objects.outputName),
                preprocessing: steps.steps, labels: names, decoding: preprocessing.decoding)
            segmenter.session.warn(logger)
            let evaluation = try await segmenter.evaluate(
                dataset, masks: objects.truth ?? "", ignoring: objects.ignore ?? 255, options: options
            ) { line.update($0) }
            line.clear()
            failedCount = evaluation.failedCount
            try answer(evaluation, OtherEvaluationText.lines(evaluation, title, show), claims) {
                try OtherEvaluationPage(evaluation, title: title).write(to: $0)
            }
        case .depth:
            let estimator = try await DepthEstimator(
                model, options: sessionOptions, depth: .init(output: objects.outputName), preprocessing: steps.steps,
                decoding: preprocessing.decoding)
            estimator.session.warn(logger)
            let evaluation = try await estimator.evaluate(
                dataset, depths: objects.truth ?? "", unit: depths.depthUnit ?? 1, depth: depths.options,
                options: options
            ) { line.update($0) }
            line.clear()
            failedCount = evaluation.failedCount
            try answer(evaluation, OtherEvaluationText.lines(evaluation, title), claims) {
                try OtherEvaluationPage(evaluation, title: title).write(to: $0)
            }
        default:
            let embedder = try await Embedder(
                model, options: sessionOptions, embedding: .init(output: objects.outputName),
                preprocessing: steps.steps, decoding: preprocessing.decoding)
            embedder.session.warn(logger)
            let evaluation = try await embedder.evaluate(dataset, options: options) { line.update($0) }
            line.clear()
            failedCount = evaluation.failedCount
            try answer(evaluation, OtherEvaluationText.lines(evaluation, title), claims) {
                try OtherEvaluationPage(evaluation, title: title).write(to: $0)
            }
        }
        if failedCount > 0 { throw ExitStatus.doneWithFailures }
    }
}
