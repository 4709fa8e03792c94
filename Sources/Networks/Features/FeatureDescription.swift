/// The name and the type of a value that a model takes or gives.
public struct FeatureDescription: Sendable, Equatable {
    /// The kind of a value.
    public enum Kind: Sendable, Equatable {
        /// An integer, a number or a text.
        case int, double, string
        /// A picture with this width and height in pixels.
        case image(width: Int, height: Int)
        /// Numbers with this shape.
        case array(shape: [Int])
        /// Numbers under keys of this type.
        case dictionary(keys: KeyKind)
        case sequence
    }

    /// The type of a dictionary's keys.
    public enum KeyKind: Sendable, Equatable { case int, string }

    /// The name of the value.
    public var name: String
    /// The type of the value.
    public var kind: Kind
    /// The author's description of the value.
    public var summary: String
    /// Whether the value may be left out.
    public var isOptional: Bool

    /// Makes a description.
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
