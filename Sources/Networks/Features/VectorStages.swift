import Tensors

/// Joins several numeric features into one array.
package struct FeatureVectorizer: FeatureStage {
    let inputs: FeatureInputs
    let counts: [Int]
    let output: String

    /// - Parameter counts: The number of elements of each input.
    package init(inputs: FeatureInputs, counts: [Int], output: String) {
        self.inputs = inputs
        self.counts = counts
        self.output = output
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        var vector: [Double] = []
        for (name, count) in zip(inputs.names, counts) {
            let numbers = try FeatureInputs([name]).vector(values)
            guard numbers.count == count else {
                throw .input("feature \"\(name)\" has \(numbers.count) numbers; \(count) are expected")
            }
            vector += numbers
        }
        return [output: try .array(vector)]
    }
}

/// y = (x + shift) · scale, where shift and scale are one number for all elements or one for each.
package struct FeatureScaler: FeatureStage {
    let input: FeatureInputs
    let (shift, scale): ([Double], [Double])
    let output: String

    package init(input: FeatureInputs, shift: [Double], scale: [Double], output: String) {
        self.input = input
        self.shift = shift.isEmpty ? [0] : shift
        self.scale = scale.isEmpty ? [1] : scale
        self.output = output
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let value = try input.single(values)
        let numbers = try input.vector(values)
        guard [1, numbers.count].contains(shift.count), [1, numbers.count].contains(scale.count) else {
            throw .input("\(numbers.count) numbers are given; the model takes \(max(shift.count, scale.count))")
        }
        let results = numbers.indices.map { index in
            (numbers[index] + shift[shift.count == 1 ? 0 : index]) * scale[scale.count == 1 ? 0 : index]
        }
        return [output: try value.replacingNumbers(by: results)]
    }
}

/// Divides x by one of its norms; an x whose norm is 0 stays unchanged.
package struct FeatureNormalizer: FeatureStage {
    package enum Norm: Int, Sendable { case largest, sum, euclidean }

    let input: FeatureInputs
    let norm: Norm
    let output: String

    package init(input: FeatureInputs, norm: Norm, output: String) {
        self.input = input
        self.norm = norm
        self.output = output
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let value = try input.single(values)
        let numbers = try input.vector(values)
        let size =
            switch norm {
            case .largest: numbers.map(\.magnitude).max() ?? 0
            case .sum: numbers.reduce(0) { $0 + $1.magnitude }
            case .euclidean: numbers.reduce(0) { $0 + $1 * $1 }.squareRoot()
            }
        return [output: try value.replacingNumbers(by: size > 0 ? numbers.map { $0 / size } : numbers)]
    }
}

/// Selects elements of an array.
package struct ArrayFeatureExtractor: FeatureStage {
    let input: FeatureInputs
    let indices: [Int]
    let output: FeatureDescription

    package init(input: FeatureInputs, indices: [Int], output: FeatureDescription) {
        self.input = input
        self.indices = indices
        self.output = output
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let numbers = try input.vector(values)
        var results: [Double] = []
        for index in indices {
            guard numbers.indices.contains(index) else {
                throw .input("there is no element \(index) among \(numbers.count)")
            }
            results.append(numbers[index])
        }
        switch output.kind {
        case .double where results.count == 1: return [output.name: .double(results[0])]
        case .int where results.count == 1: return [output.name: .int(Int64(saturating: results[0]))]
        default: return [output.name: try .array(results)]
        }
    }
}

/// Replaces missing values.
package struct FeatureImputer: FeatureStage {
    let input: FeatureInputs
    /// The value that marks a missing value; NaN equals NaN here.
    let missing: FeatureValue
    /// The replacement: one value, or one for each element.
    let replacement: FeatureValue
    let output: String

    package init(input: FeatureInputs, missing: FeatureValue, replacement: FeatureValue, output: String) {
        self.input = input
        self.missing = missing
        self.replacement = replacement
        self.output = output
    }

    package func evaluate(_ values: [String: FeatureValue]) throws(FeatureError) -> [String: FeatureValue] {
        let value = try input.single(values)
        if case .string(let text) = value {
            guard case .string(let empty) = missing, text == empty else { return [output: value] }
            return [output: replacement]
        }
        let numbers = try input.vector(values)
        guard let gap = missing.numbers?.first, let fillings = replacement.numbers,
            [1, numbers.count].contains(fillings.count)
        else { throw .input("\(numbers.count) numbers are given, for which the model has no replacement") }
        let results = numbers.enumerated().map { index, number in
            let isMissing = number == gap || (number.isNaN && gap.isNaN)
            return isMissing ? fillings[fillings.count == 1 ? 0 : index] : number
        }
        return [output: try value.replacingNumbers(by: results)]
    }
}

extension FeatureValue {
    /// A value of the same kind with other numbers. An integer becomes a double when its number is not whole.
    func replacingNumbers(by numbers: [Double]) throws(FeatureError) -> FeatureValue {
        switch self {
        case .int where numbers.count == 1 && numbers[0] == numbers[0].rounded(): .int(Int64(saturating: numbers[0]))
        case .int, .double:
            if let number = numbers.first { .double(number) } else { self }
        default: try .array(numbers)
        }
    }
}
