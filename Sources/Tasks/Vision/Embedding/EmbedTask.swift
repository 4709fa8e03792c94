import Inference
import Models
import Platform
import Predicting

/// Vectors by which pictures are compared.
package enum EmbedTask: PictureTask {
    package static let task = VisionTask.embed
    package static let summary = "a vector by which pictures are compared"
    package static let content = ImageAnswer.Content.embeddings

    package static func evidence(in signature: TaskSignature) -> String? {
        guard let output = signature.outputs.first(where: isNamed) else { return nil }
        return "output \"\(output.name.printable)\" has the name of an embedding"
    }

    /// Whether an output has the name of an embedding.
    static func isNamed(_ output: TaskSignature.Output) -> Bool { Embedder.isNameOfOutput(output.name) }

    package static func canRead(_ signature: TaskSignature) -> Bool {
        signature.outputs.contains { output in
            guard let rank = output.shape?.count else { return false }
            // Quantized numbers become a vector, too.
            if rank == 2, [nil, .int8, .uint8].contains(output.elementType) { return true }
            return (2...4).contains(rank) && output.elementType?.isFloatingPoint ?? false
        }
    }

    package static func predictor(
        _ model: Model, _ settings: TaskSettings, options: Session.Options
    ) async throws(ApusError) -> any TaskPredictor {
        var embedding = settings.embedding
        embedding.output = settings.outputName ?? embedding.output
        return try await Embedder(
            model, options: options, embedding: embedding, preprocessing: settings.preprocessing,
            decoding: settings.decoding)
    }
}

extension TaskSettings {
    /// How an output becomes a vector.
    package var embedding: Embedder.Options {
        get { self[Embedder.Options()] }
        set { self[Embedder.Options()] = newValue }
    }
}
