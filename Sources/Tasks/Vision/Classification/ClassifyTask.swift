import Inference
import Models
import Platform
import Predicting

/// Classes of whole pictures, from one row of scores for each.
package enum ClassifyTask: PictureTask {
    package static let task = VisionTask.classify
    package static let summary = "classes of the whole picture"
    package static let content = ImageAnswer.Content.classes
    package static let contents: [ImageAnswer.Content] = [.classes, .heads]

    package static func content(for model: Model) -> ImageAnswer.Content {
        HeadClassifier.reads(model.describedByFamily()) ? .heads : .classes
    }

    package static func evidence(in signature: TaskSignature) -> String? {
        let names = signature.labelCount
        if let names, names > 1, let output = signature.outputs.first(where: { $0.rowExtent == names }) {
            return "output \"\(output.name)\" has a number for each of the \(names) names of classes"
        }
        guard signature.outputs.count == 1, let extent = signature.outputs[0].rowExtent,
            !saysOtherwise(signature.outputs[0]), signature.labelsFit(classCount: extent)
        else { return nil }
        if signature.outputs[0].endsInSigmoid { return "the only output is a row of \(extent) confidences" }
        return extent > 1 ? "the only output is a row of \(extent) numbers" : nil
    }

    /// Whether the name of an output says that its numbers are not scores of classes.
    private static func saysOtherwise(_ output: TaskSignature.Output) -> Bool {
        EmbedTask.isNamed(output) || RegressTask.isNamed(output)
            || output.isCalled("landmark", "keypoint", "bbox", "coord")
    }

    package static func canRead(_ signature: TaskSignature) -> Bool {
        signature.outputs.contains { $0.rowExtent.map { $0 > 1 } ?? false }
    }

    package static func reading(of model: Model) -> String? {
        if HeadClassifier.reads(model) {
            return "each output with a row of numbers, or with one integer, gives a class"
        }
        return (try? ClassScores(model, labels: nil))?.scale.description
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        let model = if let name = settings.outputName { try model.giving(name) } else { model }
        if HeadClassifier.reads(model.describedByFamily()) {
            return try await HeadClassifier(
                model, options: options, preprocessing: settings.preprocessing,
                labels: settings.labels ?? model.labels, decoding: settings.decoding)
        }
        let signature = TaskSignature(model)
        let isForeign = signature.outputs.allSatisfy { output in
            output.shape.map { $0.dropFirst().count { $0 != 1 } > 1 } ?? false
        }
        if isForeign, model.continuation == nil, let output = signature.outputs.first {
            throw .usage("\(model.name): \(output.description(signature.layout)) are not scores of classes")
        }
        return try await Classifier(
            model, options: options, preprocessing: settings.preprocessing, labels: settings.labels ?? model.labels,
            decoding: settings.decoding)
    }
}
