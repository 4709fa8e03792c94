import Features
import FoundationEssentials

extension CoreMLModel {
    /// The inputs as features.
    var inputs: [FeatureDescription] {
        get throws(FormatError) { try Self.features(description.input) }
    }

    /// The outputs as features.
    var outputs: [FeatureDescription] {
        get throws(FormatError) { try Self.features(description.output) }
    }

    private static func features(_ messages: [CoreMLFeatureDescription]) throws(FormatError) -> [FeatureDescription] {
        var features: [FeatureDescription] = []
        for message in messages {
            guard !message.name.isEmpty, !features.contains(where: { $0.name == message.name }) else {
                throw .invalid("feature \"\(message.name)\" has no name of its own")
            }
            guard features.count < maximumFeatures else { throw .unsupported("more than \(maximumFeatures) features") }
            guard let kind = message.type.featureKind else {
                throw .unsupported("feature \"\(message.name)\" is \(message.type.kindName), which is not supported")
            }
            features.append(
                FeatureDescription(
                    name: message.name, kind: kind, summary: message.shortDescription,
                    isOptional: message.type.isOptional))
        }
        return features
    }

    private static let maximumFeatures = 4096

    /// The channels of the outputs that are images, by name.
    var pictureOutputs: [String: PictureInput.Channels] {
        get throws(FormatError) {
            var channels: [String: PictureInput.Channels] = [:]
            for output in description.output {
                if case .imageType(let image)? = output.type.kind { channels[output.name] = try image.channels }
            }
            return channels
        }
    }

    private enum DescriptionField: Int, MessageField {
        case input = 1
    }

    private enum FeatureField: Int, MessageField {
        case name = 1
        case type = 3
    }

    private enum TypeField: Int, MessageField {
        case array = 5
    }

    /// The fields of the number that every element of an optional array has by default.
    private enum DefaultField: Int, MessageField {
        case int32 = 41
        case float32 = 51
        case float64 = 61
    }

    /// The number in every element of each optional array that is not given.
    ///
    /// Reference: `default_value` of https://apple.github.io/coremltools/source/coremltools.converters.convert.html
    var inputDefaults: [String: Double] {
        get throws(FormatError) {
            var numbers: [String: Double] = [:]
            for (feature, range) in zip(description.input, descriptionMessage.ranges(DescriptionField.input)) {
                guard feature.type.isOptional, case .arrayType? = feature.type.kind else { continue }
                let message = try CoreMLMessage(descriptionMessage.content, range)
                let array = try message.message(FeatureField.type).message(TypeField.array)
                var number = 0.0
                for field in array.fields {
                    guard let kind = DefaultField(rawValue: field.number) else { continue }
                    let bytes = try array.content.bytes(field.value)
                    let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                    switch (kind, field.wire) {
                    case (.int32, .varint):
                        let seven = bytes.reversed().reduce(UInt64(0)) { $0 << 7 | UInt64($1 & 0x7F) }
                        number = Double(Int32(truncatingIfNeeded: seven))
                    case (.float32, _) where bytes.count == 4:
                        number = Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
                    case (.float64, _) where bytes.count == 8: number = Double(bitPattern: bits)
                    default: throw .invalid("the default of \"\(feature.name)\" is damaged")
                    }
                }
                numbers[feature.name] = number
            }
            return numbers
        }
    }

    /// The outputs of a classifier.
    func classifierOutputs(_ labels: ClassLabels?) throws(FormatError) -> ClassifierOutputs {
        guard let labels else { throw .invalid("the classifier names no classes") }
        return ClassifierOutputs(
            labels: labels.keys, labelName: description.predictedFeatureName,
            probabilitiesName: description.predictedProbabilitiesName)
    }

    /// The output of a model with one output, or otherwise the first that is named as the prediction.
    var outputName: String {
        get throws(FormatError) {
            if !description.predictedFeatureName.isEmpty { return description.predictedFeatureName }
            guard let name = description.output.first?.name else { throw .invalid("the model has no outputs") }
            return name
        }
    }
}

extension CoreMLFeatureType {
    /// The kind of a feature in words.
    var kindName: String {
        switch kind {
        case .int64Type: "an integer"
        case .doubleType: "a number"
        case .stringType: "a text"
        case .imageType: "an image"
        case .arrayType: "an array"
        case .dictionaryType: "a dictionary"
        case .sequenceType: "a sequence"
        case .stateType: "a state, which keeps numbers from one run to the next"
        case nil: "of a type that Apus does not know"
        }
    }

    fileprivate var featureKind: FeatureDescription.Kind? {
        switch kind {
        case .int64Type: .int
        case .doubleType: .double
        case .stringType: .string
        case .imageType(let image): .image(width: Int(image.width), height: Int(image.height))
        case .arrayType(let array): .array(shape: array.shape.map { Int($0) })
        case .dictionaryType(let dictionary):
            if case .int64Key = dictionary.key { .dictionary(keys: .int) } else { .dictionary(keys: .string) }
        case .sequenceType: .sequence
        case .stateType, nil: nil
        }
    }
}

extension ClassLabels {
    var keys: [FeatureKey] {
        switch self {
        case .strings(let texts): texts.map { .string($0) }
        case .integers(let numbers): numbers.map { .int($0) }
        }
    }
}
