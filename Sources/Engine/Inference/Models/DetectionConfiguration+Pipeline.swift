import Features

extension DetectionConfiguration {
    /// Makes the configuration that the suppression stage of a Core ML pipeline describes.
    package init(_ stage: BoxSuppression) {
        self.init()
        minimumConfidence = Float(stage.confidenceThreshold)
        suppression = NonMaximumSuppression(
            threshold: Float(stage.iouThreshold), isClassAgnostic: !stage.isPerClass)
    }
}
