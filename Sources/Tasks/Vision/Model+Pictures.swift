import Images
import Models
import Platform
import Preparation

extension Model {
    /// Whether the model is for detecting objects, as files, metadata or its outputs say; see ``purpose``.
    public var findsObjects: Bool { purpose.task == .detect }

    /// The steps by which predictions prepare pictures, and their origin in a few words; nil when the network does not
    /// take one picture.
    package var picturePreparation: (steps: Preprocessing, origin: String)? { describedByFamily().ownPreparation }

    private var ownPreparation: (steps: Preprocessing, origin: String)? {
        let configuration = detection ?? DetectionConfiguration()
        if findsObjects, let found = try? ObjectDetector.customaryPreprocessing(of: self, configuration) {
            let decoder = (try? ObjectDetector.decoderName(of: self, configuration)) ?? "unknown"
            return (found, origins.preprocessing?.description ?? "customary for decoder \(decoder)")
        }
        let steps = try? purpose.task?.type.preprocessing(of: self, TaskSettings())
        guard let input = try? ImageInput(self, preprocessing: steps ?? nil) else { return nil }
        if preprocessing != nil {
            return (input.preprocessing, origins.preprocessing?.description ?? "given with the model")
        }
        if purpose.task == .text { return (input.preprocessing, "customary for lines of text") }
        let takesBytes = graph.value(named: input.name).map { graph[$0].elementType } != .float32
        return (
            input.preprocessing,
            takesBytes
                ? "guessed from the type of the input" : "guessed, since nothing says how the network was trained"
        )
    }
}
