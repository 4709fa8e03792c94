import Images
import Platform
import Predicting
import Preparation

/// The ways of bringing a picture of other proportions to a network's size.
public enum CropAndScale: Sendable, CaseIterable {
    /// The picture covers the size and is cropped at the center; the ends of its longer side are lost.
    case centerCrop
    /// The whole picture keeps its proportions and gets a border.
    case scaleFit
    /// The whole picture is stretched.
    case scaleFill

    package var mode: Preprocessing.ResizeMode {
        switch self {
        case .centerCrop: .centerCrop
        case .scaleFit: .fit
        case .scaleFill: .fill
        }
    }
}

/// A question about a picture. An ``ImageRequestHandler`` performs it.
public protocol ImageRequest: Sendable {
    /// The type of the answer.
    associatedtype Answer: Sendable

    /// Answers the question for the picture of a handler.
    ///
    /// - Throws: ``RecordError`` when the picture is at fault; ``ApusError`` when something else is.
    func perform(on handler: ImageRequestHandler) async throws -> Answer
}

/// A request for what a predictor says about a picture. Boxes, points and pixels refer to the whole upright picture,
/// however it was cropped and scaled.
///
///     let handler = try ImageRequestHandler(.file("street.jpg"))
///     let classes = try await handler.perform(PredictionRequest(classifier)).top(5, minimumConfidence: 0.2)
///     let objects = try await handler.perform(PredictionRequest(detector)).objects
public struct PredictionRequest<Predictor: PicturePredictor>: ImageRequest {
    /// What answers.
    public let predictor: Predictor
    /// The way of bringing the picture to the network's size; nil for that of the model's preprocessing.
    public var cropAndScale: CropAndScale?

    /// Makes a request.
    public init(_ predictor: Predictor, cropAndScale: CropAndScale? = nil) {
        (self.predictor, self.cropAndScale) = (predictor, cropAndScale)
    }

    public func perform(on handler: ImageRequestHandler) async throws -> Predictor.Answer {
        let core = predictor.core
        var picture = try await handler.prepared(for: core.predictor.pictures.input, cropAndScale)
        if core.predictor.needsImages { picture.image = try await handler.image() }
        return try await core.answers(to: [picture])[0].get()
    }
}
