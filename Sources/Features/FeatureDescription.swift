/// The name and the type of a value that a model takes or gives.
public struct FeatureDescription: Sendable, Equatable {
    /// What a value is.
    public enum Kind: Sendable, Equatable {
        case int, double, string
        /// A picture of so many pixels.
        case image(width: Int, height: Int)
        case array(shape: [Int])
        case dictionary(keys: KeyKind)
        case sequence
    }

    /// What the keys of a dictionary are.
    public enum KeyKind: Sendable, Equatable { case int, string }

    public var name: String
    public var kind: Kind
    /// What the model's author says about it.
    public var summary: String
    public var isOptional: Bool

    public init(name: String, kind: Kind, summary: String = "", isOptional: Bool = false) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.isOptional = isOptional
    }
}

extension FeatureDescription.Kind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .int: "integer"
        case .double: "double"
        case .string: "string"
        case .image(let width, let height): "image \(width) × \(height)"
        case .array(let shape): "array \(shape)"
        case .dictionary(let keys): keys == .int ? "dictionary of integers" : "dictionary of strings"
        case .sequence: "sequence"
        }
    }
}
