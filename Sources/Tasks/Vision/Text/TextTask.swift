import Images
import Inference
import Models
import Platform
import Predicting

/// Lines of text: a detector finds them, and a recogniser reads one.
package enum TextTask: PictureTask {
    package static let task = VisionTask.text
    package static let summary = "lines of text: boxes of a detector, or the text that a recogniser reads"
    package static let content = ImageAnswer.Content.text

    package static func evidence(in signature: TaskSignature) -> String? {
        guard let count = signature.characterCount, signature.outputs.count == 1, readsLines(signature),
            let scores = signature.outputs[0].shape?.last, scores.map({ [1, 2].contains($0 - count) }) ?? true
        else { return nil }
        return "the metadata name the \(count) characters that the network reads"
    }

    package static func canRead(_ signature: TaskSignature) -> Bool {
        readsLines(signature) && hasShapeOfLines(signature)
            || signature.outputs.contains { $0.map(signature.layout)?.channels == 1 }
    }

    /// Whether the network reads lines, rather than finding them.
    private static func readsLines(_ signature: TaskSignature) -> Bool {
        signature.outputs.contains { $0.shape?.count == 3 }
    }

    /// Whether pictures are wider than high, or of any width.
    private static func hasShapeOfLines(_ signature: TaskSignature) -> Bool {
        signature.inputSize.map { $0.width > $0.height } ?? true
    }

    package static func reading(of model: Model) -> String? {
        if readsLines(TaskSignature(model)) { return "the best character at each place of a line (CTC)" }
        return switch (model.family as? any TextMapFamily)?.maps ?? .lines {
        case .lines, .exactLines: "boxes around the regions of a map (DB)"
        case .characters: "words by maps of characters and of the links between them (CRAFT)"
        case .rotatedBoxes: "words by a map of scores and the rectangles of cells (EAST)"
        }
    }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? {
        if let steps = model.preprocessing { return steps }
        return readsLines(TaskSignature(model))
            ? try TextLineReader.customaryPreprocessing(of: model)
            : try TextDetector.customaryPreprocessing(of: model, settings.text)
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        if readsLines(TaskSignature(model)) {
            return try await TextLineReader(
                model, options: options, characters: settings.labels, preprocessing: settings.preprocessing,
                decoding: settings.decoding)
        }
        return try await TextDetector(
            model, options: options, detection: settings.text, preprocessing: settings.preprocessing,
            decoding: settings.decoding)
    }
}

extension TaskSettings {
    /// How lines of text are found.
    package var text: TextDetector.Options {
        get { self[TextDetector.Options()] }
        set { self[TextDetector.Options()] = newValue }
    }
}
