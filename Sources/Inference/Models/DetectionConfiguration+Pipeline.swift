import Features

extension DetectionConfiguration {
    /// What the suppression at the end of a pipeline of Core ML says.
    package init(_ stage: BoxSuppression) {
        self.init()
        minimumConfidence = Float(stage.confidenceThreshold)
        suppression = NonMaximumSuppression(
            threshold: Float(stage.iouThreshold), isClassAgnostic: !stage.isPerClass)
    }
}
