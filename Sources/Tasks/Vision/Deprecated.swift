import Features
import Platform
import Predicting
import Preparation
import Tensors

// Names of the previous version, which the next version removes.

@available(*, deprecated, renamed: "ClassificationObservation")
public typealias Prediction = ClassificationObservation

@available(*, deprecated, renamed: "ImageAnswer")
public typealias PictureAnswer = ImageAnswer

extension Classifier {
    /// The former name of ``predict(_:)``.
    @available(*, deprecated, renamed: "predict(_:)")
    public func classify(_ source: ImageSource) async throws -> Classification { try await predict(source) }
}

extension ObjectDetector {
    /// The objects that ``predict(_:)`` gives.
    @available(*, deprecated, message: "use predict(_:).objects")
    public func objects(in source: ImageSource) async throws -> [RecognizedObject] {
        try await predict(source).objects
    }
}

extension FeatureSession {
    /// The former name of ``predict(_:images:)``.
    @available(*, deprecated, renamed: "predict(_:images:)")
    public func prediction(
        from inputs: [String: FeatureValue] = [:], images: [String: ImageSource]
    ) async throws -> [String: FeatureValue] { try await predict(inputs, images: images) }

    /// The former name of ``predict(_:)``.
    @available(*, deprecated, renamed: "predict(_:)")
    public func prediction(from inputs: [String: FeatureValue]) async throws(ApusError) -> [String: FeatureValue] {
        try await predict(inputs)
    }
}

extension PredictionRecord {
    /// The former name of ``classification``.
    @available(*, deprecated, renamed: "classification")
    public var result: Result<Classification, RecordError> { classification }
}

extension Evaluation {
    /// The former name of ``imageCount``.
    @available(*, deprecated, renamed: "imageCount")
    public var pictureCount: Int { imageCount }
}
