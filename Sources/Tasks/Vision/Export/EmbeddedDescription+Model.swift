import Models

extension EmbeddedDescription {
    /// Makes the description of a model, whatever the origin of its parts.
    init(_ model: Model) {
        var preprocessing = model.preprocessing
        if preprocessing != nil, model.findsObjects {
            let configuration = model.detection ?? DetectionConfiguration()
            let steps = try? ObjectDetector.customaryPreprocessing(of: model, configuration)
            preprocessing = steps ?? preprocessing
        }
        // The entries that Ultralytics wrote stay in the metadata.
        var detection = model.origins.detection == .metadata("task") ? nil : model.detection
        if case .suppression(let suppression)? = model.continuation {
            detection?.boxOutputs = DetectionConfiguration.BoxOutputs(
                confidence: suppression.names.confidence, coordinates: suppression.names.coordinates)
        }
        if detection == nil, let decoding = model.decoding { detection = decoding }
        self.init(
            preprocessing: preprocessing, labels: model.detection?.labels ?? model.labels, detection: detection,
            task: Self.task(of: model),
            scoresName: model.scoresName, family: model.familyName)
    }

    /// What a file beside the model, or an earlier description, says that it is for.
    private static func task(of model: Model) -> VisionTask? {
        if let family = model.family { return family.task }
        guard let statement = model.taskStatement, case .task(let task) = statement.purpose else { return nil }
        switch statement.origin {
        case .file, .metadata(taskKey): return task
        default: return nil
        }
    }
}
