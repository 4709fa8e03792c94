import Images
import Models
import Platform

/// A task whose answers are points, by a decoder for the family of the network.
package protocol PointTask: PictureTask {
    /// The decoders, in the order in which they are tried.
    static var decoders: [any PointDecoder.Type] { get }
}

extension PointTask {
    package static func evidence(in signature: TaskSignature) -> String? {
        let detector = signature.detector
        if let decoder = decoders.first(where: { $0.isToldByNames(detector) }) {
            return "the outputs have the names that decoder \(decoder.name.rawValue) reads"
        }
        guard let decoder = decoders.first(where: { $0.isToldByShapes(detector) }) else { return nil }
        return "the outputs have the shapes of decoder \(decoder.name.rawValue) and no other"
    }

    package static func canRead(_ signature: TaskSignature) -> Bool {
        decoders.contains { $0.recognizes(signature.detector) }
    }

    package static func reading(of model: Model) -> String? {
        do {
            let reading = try PointReading(model, decoders, nil, labels: nil, confidence: nil)
            var origin = reading.configuration.decoder == nil ? "told by the outputs" : "named beside the model"
            if let family = model.family, let name = family.configuration?.decoder,
                name == reading.configuration.decoder
            {
                origin = "as for \(family.title)"
            }
            return "decoder \(type(of: reading.decoder).name.rawValue), \(origin)"
        } catch {
            return "no decoder: \(error)"
        }
    }

    package static func preprocessing(
        of model: Model, _ settings: TaskSettings
    ) throws(ApusError) -> Preprocessing? {
        try PointReading.preprocessing(of: model, decoders, settings.decodingConfiguration)
    }
}
