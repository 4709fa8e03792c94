import Apus
import ArgumentParser
import Logging

/// A model that answers about pictures, and what options say about how it does.
package struct PredictorChoice {
    /// A model file, `zoo:NAME` or a recipe; errors begin with it.
    package let path: String
    /// The model, when it was read before.
    package var model: Model?
    /// The options for reading.
    package var loading: ModelLoadingOptions
    /// The file of the names of classes; nil for the model's own.
    package var naming: LabelOptions
    /// Classes, objects and foregrounds with less confidence are left out; nil for the task's own limit.
    package var minimumConfidence: Float?
    package var further: InputValueOptions
    package var size: InputSizeOptions
    package var preprocessing: PreprocessingOptions
    package var asked: TaskOptions
    package var files: RecordFileOptions
    package var detection: DetectionOptions

    /// A predictor, and the options for following objects through a video, where that was asked for.
    package typealias Predictor = (predictor: any TaskPredictor, tracking: ObjectTracker.Options?)

    package init(
        model path: String, loading: ModelLoadingOptions, naming: LabelOptions, minimumConfidence: Float?,
        further: InputValueOptions, size: InputSizeOptions, preprocessing: PreprocessingOptions, asked: TaskOptions,
        files: RecordFileOptions,
        detection: DetectionOptions
    ) {
        self.path = path
        self.loading = loading
        self.naming = naming
        self.minimumConfidence = minimumConfidence
        self.further = further
        self.size = size
        self.preprocessing = preprocessing
        self.asked = asked
        self.files = files
        self.detection = detection
    }

    /// Refuses options that contradict one another.
    package func validate() throws {
        guard let task = asked.task, task != .detect, detection.isMentioned else { return }
        let findsSeveral = [.segment, .pose, .landmarks].contains(task)
        if !findsSeveral || detection.belongsToDetection {
            throw ValidationError("--task \(task.rawValue) finds no objects; leave out the options about them")
        }
    }

    /// The recipe, when the path names one.
    ///
    /// - Throws: ``ApusError``, also for options that belong to the stages of a recipe.
    package func recipe() throws(ApusError) -> RecipeFile? {
        guard model == nil, RecipeFile.isRecipe(path) else { return nil }
        let isOwn =
            asked.task != nil || asked.outputName != nil || asked.maskForm != nil
            || !(files.tasksOfFolder ?? [.text]).contains(.text)
            || !further.input.isEmpty || naming.labels != nil || size.inputSize != nil || preprocessing.isMentioned
            || detection.isMentioned
            || minimumConfidence != nil
        guard !isOwn else {
            throw ApusError.usage(
                "\(path): tasks, inputs, labels, preprocessing and decoders of a recipe stand in its stages; leave out "
                    + "the options about them")
        }
        return try RecipeFile(contentsOf: path, allowsFilesElsewhere: loading.recipeFilesAnywhere)
    }

    /// Starts the predictor, with whatever memory the process may use.
    ///
    /// - Parameters:
    ///   - recipe: What ``recipe()`` gave.
    ///   - checkForm: Throws when answers of a kind cannot be written.
    package func predictor(
        _ recipe: RecipeFile?, options: Session.Options,
        checkingForm checkForm: (ImageAnswer.Content) throws -> Void = { _ in }
    ) async throws -> Predictor {
        guard let recipe else { return try await single(options, checkForm) }
        let runner = try await RecipeRunner(Recipe(recipe), options: options, decoding: preprocessing.decoding)
        try checkForm(runner.content)
        guard files.hocr == nil || runner.content == .text else {
            throw ApusError.usage("\(path): --hocr takes lines of text, and this recipe gives none")
        }
        return (runner, nil)
    }

    /// The predictor of one model.
    private func single(
        _ options: Session.Options, _ checkForm: (ImageAnswer.Content) throws -> Void
    ) async throws -> Predictor {
        let logger = options.logger
        let start = ContinuousClock.now
        var model = try model ?? loading.model(path)
        model = try size.applied(to: further.applied(to: model, decoding: preprocessing.decoding))
        try model.checkBatch()
        let task = try asked.task(of: model, detection, files)
        // Of one output, the answer may be of another kind than of all.
        let chosen =
            if let name = asked.outputName, task == .classify { try model.giving(name) } else { model }
        let content = task.type.content(for: chosen)
        try checkForm(content)
        try asked.check(task)
        try files.check(task, content)
        var settings = try settings(for: model)
        model.preprocessing = try task.type.preprocessing(of: model, settings)
        let steps = try preprocessing.preprocessing(for: model, keepsSize: task == .image)
        settings.preprocessing = steps.steps
        let time = (ContinuousClock.now - start).inMilliseconds
        logger.debug("\(model.name): read in \(time), \(model.graph.nodes.count) nodes")
        let predictor = try await task.type.predictor(model, settings, options: options)
        if let detector = predictor as? ObjectDetector {
            logger.info("\(model.name): decoder \(detector.decoderName); pictures: \(detector.preprocessing)")
            return (predictor, detection.track ? ObjectTracker.Options() : nil)
        }
        if steps.isGuessed { PreprocessingOptions.warnOfGuess(model, logger) }
        return (predictor, nil)
    }

    /// The settings of the task, without the preprocessing.
    private func settings(for model: Model) throws(ApusError) -> TaskSettings {
        var settings = asked.settings
        settings.detection = try detection.configuration(model.detection, minimumConfidence: minimumConfidence)
        settings.minimumConfidence = minimumConfidence
        var decoding = try detection.configuration(model.decoding, minimumConfidence: minimumConfidence)
        if let units = asked.pointUnits { decoding.pointUnits = units }
        settings.decodingConfiguration = decoding
        if let minimumConfidence {
            settings.segmentation.threshold = minimumConfidence
            settings.text.minimumConfidence = minimumConfidence
        }
        settings.labels = try naming.names()
        settings.decoding = preprocessing.decoding
        return settings
    }
}
