import Inference
import Models
import Platform
import Predicting

/// Numbers that a network estimates for whole pictures, such as the quality of a photo.
package enum RegressTask: PictureTask {
    package static let task = VisionTask.regress
    package static let summary = "numbers that the network estimates, such as the quality of a photo"
    package static let content = ImageAnswer.Content.regression

    package static func evidence(in signature: TaskSignature) -> String? {
        let found = signature.outputs.first { isNamed($0) && isShortRow($0) }
        return found.map { "output \"\($0.name.printable)\" has the name of estimated numbers" }
    }

    package static func canRead(_ signature: TaskSignature) -> Bool { signature.outputs.contains(where: isShortRow) }

    /// Whether the name of an output says that its numbers are estimated.
    static func isNamed(_ output: TaskSignature.Output) -> Bool { output.isCalled("regress", "aesthetic") }

    /// Rows with more numbers are scores or vectors.
    private static let maximumCount = 16

    private static func isShortRow(_ output: TaskSignature.Output) -> Bool {
        output.rowExtent.map { (1...maximumCount).contains($0) } ?? false
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        try await Regressor(
            model, options: options, output: settings.outputName, preprocessing: settings.preprocessing,
            labels: settings.labels, decoding: settings.decoding)
    }
}
