import Tensors

/// Encodes the position of a category as an array of zeros with a single 1.
package struct OneHotEncoder: FeatureStage {
    let input: FeatureInputs
    let categories: [FeatureKey]
    let ignoresUnknown: Bool
    /// Whether the output is a dictionary that holds only the position.
    let isSparse: Bool
    let output: String
    private let positions: [FeatureKey: Int]

    package init(
        input: FeatureInputs, categories: [FeatureKey], ignoresUnknown: Bool, isSparse: Bool, output: String
    ) {
        self.input = input
        self.categories = categories
        self.ignoresUnknown = ignoresUnknown
        self.isSparse = isSparse
        self.output = output
        positions = Dictionary(zip(categories, categories.indices), uniquingKeysWith: { first, _ in first })
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let value = try input.single(values)
        guard let key = value.key else { throw .input("\(value.kind) is given; a category is expected") }
        let position = positions[key]
        guard position != nil || ignoresUnknown else { throw .input("category \"\(key)\" is not known") }
        if isSparse {
            return [output: .dictionary(position.map { [.int(Int64($0)): 1] } ?? [:])]
        }
        return [output: try .array(categories.indices.map { $0 == position ? 1 : 0 })]
    }
}

/// Maps a category to another value.
package struct CategoricalMapping: FeatureStage {
    let input: FeatureInputs
    let map: [FeatureKey: FeatureKey]
    let fallback: FeatureKey?
    let output: String

    package init(input: FeatureInputs, map: [FeatureKey: FeatureKey], fallback: FeatureKey?, output: String) {
        self.input = input
        self.map = map
        self.fallback = fallback
        self.output = output
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let value = try input.single(values)
        guard let key = value.key else { throw .input("\(value.kind) is given; a category is expected") }
        guard let result = map[key] ?? fallback else { throw .input("category \"\(key)\" is not known") }
        return [output: result.value]
    }
}

/// Turns a dictionary into an array of its numbers, in the order of `keys`; other keys are left out.
package struct DictionaryVectorizer: FeatureStage {
    let input: FeatureInputs
    let keys: [FeatureKey]
    let output: FeatureDescription

    package init(input: FeatureInputs, keys: [FeatureKey], output: FeatureDescription) {
        self.input = input
        self.keys = keys
        self.output = output
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let value = try input.single(values)
        guard case .dictionary(let numbers) = value else { throw .input("\(value.kind) is given, not a dictionary") }
        guard case .dictionary = output.kind else {
            return [output.name: try .array(keys.map { numbers[$0] ?? 0 })]
        }
        var sparse: [FeatureKey: Double] = [:]
        for (position, key) in keys.enumerated() { sparse[.int(Int64(position))] = numbers[key] }
        return [output.name: .dictionary(sparse)]
    }
}

/// Gives each input as the output at the same position.
package struct IdentityStage: FeatureStage {
    let inputs: FeatureInputs
    let outputs: [String]

    package init(inputs: FeatureInputs, outputs: [String]) {
        self.inputs = inputs
        self.outputs = outputs
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        var results: [String: FeatureValue] = [:]
        for (name, output) in zip(inputs.names, outputs) { results[output] = values[name] }
        return results
    }
}
