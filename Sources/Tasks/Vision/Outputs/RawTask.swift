import Inference
import Models
import Platform
import Predicting

/// The outputs of any network as they are.
package enum RawTask: PictureTask {
    package static let task = VisionTask.raw
    package static let summary = "the outputs as they are"
    package static let content = ImageAnswer.Content.outputs

    package static func evidence(in signature: TaskSignature) -> String? { nil }

    package static func canRead(_ signature: TaskSignature) -> Bool { true }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        try await OutputReader(
            model, options: options, output: settings.outputName, preprocessing: settings.preprocessing,
            decoding: settings.decoding)
    }
}
