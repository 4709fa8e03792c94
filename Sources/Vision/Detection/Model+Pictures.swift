import Images
import Inference
import Platform

extension Model {
    /// The preprocessing that is assumed when nothing says how the network was trained, and the size of pictures when
    /// it is fixed.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture.
    package func guessedInput() throws(ApusError) -> (preprocessing: Preprocessing, size: ImageSize?) {
        var model = self
        model.preprocessing = nil
        let input = try ImageInput(model, preprocessing: nil)
        return (input.preprocessing, input.size)
    }

    /// The steps by which predictions prepare pictures, and their origin in a few words; nil when the network does not
    /// take one picture.
    package var picturePreparation: (steps: Preprocessing, origin: String)? {
        if findsObjects {
            let configuration = detection ?? DetectionConfiguration()
            guard let found = try? ObjectDetector.customaryPreprocessing(of: self, configuration) else { return nil }
            let decoder = (try? ObjectDetector.decoderName(of: self, configuration)) ?? "unknown"
            return (found, origins.preprocessing?.description ?? "customary for decoder \(decoder)")
        }
        guard let input = try? ImageInput(self, preprocessing: nil) else { return nil }
        if !input.isGuessed {
            return (input.preprocessing, origins.preprocessing?.description ?? "given with the model")
        }
        let takesBytes = graph.value(named: input.name).map { graph[$0].elementType } != .float32
        return (
            input.preprocessing,
            takesBytes
                ? "guessed from the type of the input" : "guessed, since nothing says how the network was trained"
        )
    }
}
