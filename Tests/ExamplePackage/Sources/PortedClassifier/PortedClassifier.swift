import Apus
import Foundation

/// Does what a small app does with Core ML and Vision: center-crops a picture, classifies it with SqueezeNet, and shows
/// the labels with a confidence over 0.2.
@main
struct PortedClassifier {
    static func main() async throws {
        guard CommandLine.arguments.count > 2 else { throw ApusError.usage("usage: PortedClassifier MODEL PICTURE") }
        let classifier = try await Classifier(Model(contentsOf: CommandLine.arguments[1]))

        let request = PredictionRequest(classifier, cropAndScale: .centerCrop)

        let handler = try ImageRequestHandler(.file(CommandLine.arguments[2]))
        for observation in try await handler.perform(request).top(5, minimumConfidence: 0.2) {
            print(observation.identifier, observation.confidence)
        }
    }
}
