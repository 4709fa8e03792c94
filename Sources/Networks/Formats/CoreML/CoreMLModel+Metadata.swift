import Tensors

extension CoreMLModel {
    /// The file's metadata, under the names that Core ML's users know.
    var metadata: [String: String] {
        let described = description.metadata
        var metadata = described.userDefined
        let texts = [
            "author": described.author, "license": described.license, "short_description": described.shortDescription,
            "version": described.versionString,
        ]
        metadata.merge(texts.filter { !$0.value.isEmpty }) { _, field in field }
        metadata["specification_version"] = "\(specificationVersion)"
        metadata["model_kind"] = kind.name
        let defaults = (try? inputDefaults) ?? [:]
        for feature in description.input {
            let number = defaults[feature.name].map { ", \($0) where it is not given" } ?? ""
            metadata["input \(feature.name)"] = feature.text + number
        }
        for feature in description.output { metadata["output \(feature.name)"] = feature.text }
        if description.functions.count > 1 {
            let read = description.defaultFunctionName.isEmpty ? "main" : description.defaultFunctionName
            let names = description.functions.prefix(100).map { $0.name == read ? "\($0.name) (read)" : $0.name }
            metadata["functions"] = names.joined(separator: ", ")
        }
        return metadata
    }
}

extension CoreMLFeatureDescription {
    /// The feature's type and description.
    var text: String {
        let type = typeText + (self.type.isOptional ? ", optional" : "")
        return shortDescription.isEmpty ? type : "\(type): \(shortDescription)"
    }

    private var typeText: String {
        switch type.kind {
        case .int64Type: "integer"
        case .doubleType: "double"
        case .stringType: "string"
        case .imageType(let image):
            "image \(image.width) × \(image.height) \(((try? image.channels)?.rawValue ?? "of unknown colors"))"
        case .arrayType(let array): "array \(array.shape.prefix(Shape.maximumRank))"
        case .dictionaryType(let dictionary):
            if case .int64Key = dictionary.key { "dictionary of integers" } else { "dictionary of strings" }
        case .sequenceType: "sequence"
        case .stateType: "state"
        case nil: "unknown"
        }
    }
}
