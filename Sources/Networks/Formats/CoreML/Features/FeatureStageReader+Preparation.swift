import Features
import Tensors

/// Models that prepare features for other models, or order the outputs of these.
extension FeatureStageReader {
    func featureVectorizer() throws -> any FeatureStage {
        let p: CoreMLFeatureVectorizerParameters = try content.decode()
        return FeatureVectorizer(
            inputs: FeatureInputs(p.columns.map(\.name)), counts: p.columns.map(\.dimension.count),
            output: try output.name)
    }

    /// The fields of the keys of dictionaries, and of categories.
    private enum KeyField: Int, MessageField {
        case strings = 1, integers
    }

    func dictionaryVectorizer() throws -> any FeatureStage {
        DictionaryVectorizer(
            input: inputs, keys: try keys(strings: KeyField.strings, integers: .integers), output: try output)
    }

    func oneHotEncoder() throws -> any FeatureStage {
        let p: CoreMLOneHotEncoderParameters = try content.decode(omitting: KeyField.numbers)
        return OneHotEncoder(
            input: inputs, categories: try keys(strings: KeyField.strings, integers: .integers),
            ignoresUnknown: p.ignoresUnknown,
            isSparse: p.isSparse, output: try output.name)
    }

    private enum MappingField: Int, MessageField {
        case toInteger = 1, toText
    }

    private enum MapField: Int, MessageField {
        case entries = 1
    }

    func categoricalMapping() throws -> any FeatureStage {
        let p: CoreMLCategoricalMappingParameters = try content.decode(omitting: MappingField.numbers)
        var map: [FeatureKey: FeatureKey] = [:]
        if content.contains(MappingField.toInteger) {
            let list: [CoreMLStringToInt64] = try messages(
                MapField.entries, of: try content.message(MappingField.toInteger))
            for entry in list { map[.string(entry.key)] = .int(entry.value) }
        } else {
            let list: [CoreMLInt64ToString] = try messages(
                MapField.entries, of: try content.message(MappingField.toText))
            for entry in list { map[.int(entry.key)] = .string(entry.value) }
        }
        let fallback: FeatureKey? =
            switch p.unknown {
            case .stringValue(let text): .string(text)
            case .int64Value(let number): .int(number)
            case nil: nil
            }
        return CategoricalMapping(input: inputs, map: map, fallback: fallback, output: try output.name)
    }

    func imputer() throws -> any FeatureStage {
        let p: CoreMLImputerParameters = try content.decode(atMost: 32 << 20)
        let replacement: FeatureValue
        switch p.imputed {
        case .imputedDouble(let number): replacement = .double(number)
        case .imputedInt64(let number): replacement = .int(number)
        case .imputedString(let text): replacement = .string(text)
        case .imputedDoubleArray(let numbers): replacement = try .array(numbers.vector)
        case .imputedInt64Array(let numbers): replacement = try .array(numbers.vector.map(Double.init))
        case nil: throw FormatError.unsupported("a replacement that is a dictionary, or none")
        }
        let missing: FeatureValue =
            switch p.replaced {
            case .replacedDouble(let number): .double(number)
            case .replacedInt64(let number): .int(number)
            case .replacedString(let text): .string(text)
            case nil: .double(.nan)
            }
        return FeatureImputer(input: inputs, missing: missing, replacement: replacement, output: try output.name)
    }

    func scaler() throws -> any FeatureStage {
        let p: CoreMLScalerParameters = try content.decode(atMost: Self.maximumNumberBytes)
        return FeatureScaler(input: inputs, shift: p.shift, scale: p.scale, output: try output.name)
    }

    func normalizer() throws -> any FeatureStage {
        let p: CoreMLNormalizerParameters = try content.decode()
        guard let norm = FeatureNormalizer.Norm(rawValue: Int(p.norm)) else {
            throw FormatError.unsupported("norm \(p.norm) is not known")
        }
        return FeatureNormalizer(input: inputs, norm: norm, output: try output.name)
    }

    func arrayFeatureExtractor() throws -> any FeatureStage {
        let p: CoreMLArrayExtractorParameters = try content.decode()
        return ArrayFeatureExtractor(input: inputs, indices: p.indices.map(\.count), output: try output)
    }

    func boxSuppression() throws -> any FeatureStage {
        let p: CoreMLNonMaximumSuppressionModelParameters = try content.decode(omitting: ClassLabelField.numbers)
        var names = BoxSuppression.Names()
        names.confidence = p.confidenceInput
        names.coordinates = p.coordinatesInput
        names.iouThreshold = p.iouThresholdInput
        names.confidenceThreshold = p.confidenceThresholdInput
        names.confidenceOutput = p.confidenceOutput
        names.coordinatesOutput = p.coordinatesOutput
        return BoxSuppression(
            names: names, iouThreshold: p.iouThreshold, confidenceThreshold: p.confidenceThreshold,
            isPerClass: p.pickTop.perClass, labels: try ClassLabels(content)?.keys ?? [])
    }
}
