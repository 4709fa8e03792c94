import Tensors

/// A value that a model of features takes or gives under a name.
///
///     let inputs: [String: FeatureValue] = ["rooms": 3, "district": "north", "sizes": .array([21, 17, 12])]
public enum FeatureValue: Sendable {
    /// An integer.
    case int(Int64)
    /// A number.
    case double(Double)
    /// A text.
    case string(String)
    /// Numbers with a shape.
    case tensor(Tensor)
    /// Numbers under keys, such as the probabilities of classes.
    case dictionary([FeatureKey: Double])

    /// A tensor with one axis.
    public static func array(_ numbers: [Double]) throws(FeatureError) -> FeatureValue {
        do { return .tensor(try Tensor(numbers, shape: [numbers.count])) } catch { throw .tensor(error) }
    }

    /// The kind of the value, for messages.
    public var kind: String {
        switch self {
        case .int: "an integer"
        case .double: "a double"
        case .string: "a string"
        case .tensor(let tensor): "an array \(tensor.shape)"
        case .dictionary: "a dictionary"
        }
    }

    /// The numbers of an integer, a double or an array, in row-major order; nil for anything else.
    public var numbers: [Double]? {
        switch self {
        case .int(let value): [Double(value)]
        case .double(let value): [value]
        case .tensor(let tensor): tensor.elements(as: Double.self)
        case .string, .dictionary: nil
        }
    }

    /// The string or the integer as the key of a dictionary, and as the label of a class.
    public var key: FeatureKey? {
        switch self {
        case .string(let text): .string(text)
        case .int(let number): .int(number)
        default: nil
        }
    }
}

extension FeatureValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
}

/// The key of a dictionary, or the label of a class.
public enum FeatureKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// An integer, such as the number of a class.
    case int(Int64)
    /// A text, such as the name of a class.
    case string(String)

    public var description: String {
        switch self {
        case .int(let number): "\(number)"
        case .string(let text): text
        }
    }

    /// The key as a feature value.
    public var value: FeatureValue {
        switch self {
        case .int(let number): .int(number)
        case .string(let text): .string(text)
        }
    }
}

/// The reason why a model of features gives no answer.
public enum FeatureError: Error, Sendable, CustomStringConvertible {
    /// The values do not fit the model's inputs.
    case input(String)
    /// The model contradicts itself.
    case model(String)
    /// A tensor could not be made.
    case tensor(TensorError)

    public var description: String {
        switch self {
        case .input(let message), .model(let message): message
        case .tensor(let error): error.description
        }
    }
}
