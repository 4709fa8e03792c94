import Inference

extension EmbeddedDescription {
    /// What a model says, whatever it has it from.
    init(_ model: Model) {
        var preprocessing = model.preprocessing
        if preprocessing != nil, model.findsObjects {
            let configuration = model.detection ?? DetectionConfiguration()
            let steps = try? ObjectDetector.customaryPreprocessing(of: model, configuration)
            preprocessing = steps ?? preprocessing
        }
        // What Ultralytics wrote stays in the metadata.
        var detection = model.origins.detection == .metadata("task") ? nil : model.detection
        if case .suppression(let suppression)? = model.continuation {
            detection?.boxOutputs = DetectionConfiguration.BoxOutputs(
                confidence: suppression.names.confidence, coordinates: suppression.names.coordinates)
        }
        self.init(
            preprocessing: preprocessing, labels: model.detection?.labels ?? model.labels, detection: detection,
            scoresName: model.scoresName)
    }
}
