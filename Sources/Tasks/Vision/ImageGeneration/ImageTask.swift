import Images
import Inference
import Models
import Platform
import Predicting
import Preparation

/// Pictures that a network makes of pictures.
package enum ImageTask: PictureTask {
    package static let task = VisionTask.image
    package static let summary = "a picture made of the picture"
    package static let answersParts = false
    package static let content = ImageAnswer.Content.image

    package static func evidence(in signature: TaskSignature) -> String? {
        let found = signature.outputs.first { output in
            output.isCalled("reconstruction", "image", "picture", "super_res", "upscaled", "stylized")
                && isPicture(output, signature.layout)
        }
        return found.map { "output \"\($0.name.printable)\" has the name of a picture" }
    }

    package static func canRead(_ signature: TaskSignature) -> Bool {
        signature.outputs.contains { isPicture($0, signature.layout) }
    }

    private static func isPicture(_ output: TaskSignature.Output, _ layout: Preprocessing.Layout) -> Bool {
        guard let map = output.picture(layout) else { return false }
        return map.channels.map { [1, 3, 4].contains($0) } ?? true
    }

    package static func reading(of model: Model) -> String? {
        guard let input = try? ImageInput(model, preprocessing: nil),
            let name = ImageGenerator.output(of: model, input.layout)
        else { return nil }
        let size = (try? model.guessedInput().size).flatMap { $0 }
        let tiles = size.map { "larger pictures are cut into tiles of \($0)" } ?? "pictures of any size"
        return "output \"\(name.printable)\"; its numbers are \(PixelRange.range(of: model, at: name).reason); \(tiles)"
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        var image = settings.image
        image.output = settings.outputName ?? image.output
        return try await ImageGenerator(
            model, options: options, image: image, preprocessing: settings.preprocessing, decoding: settings.decoding)
    }
}

extension TaskSettings {
    /// How pictures are made.
    package var image: ImageGenerator.Options {
        get { self[ImageGenerator.Options()] }
        set { self[ImageGenerator.Options()] = newValue }
    }
}
