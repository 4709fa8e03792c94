import Tensors

/// The value of a node's attribute.
package enum AttributeValue: Sendable {
    case int(Int64)
    case float(Float)
    case string(String)
    case tensor(Tensor)
    case ints([Int64])
    case floats([Float])
    case strings([String])
    case graph(Subgraph)
    case elementType(ElementType)

    fileprivate var kind: String {
        switch self {
        case .int: "an integer"
        case .float: "a float"
        case .string: "a string"
        case .tensor: "a tensor"
        case .ints: "a list of integers"
        case .floats: "a list of floats"
        case .strings: "a list of strings"
        case .graph: "a graph"
        case .elementType: "an element type"
        }
    }
}

extension AttributeValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .tensor(let value): "\(value.elementType)\(value.shape)"
        case .ints(let values): "\(values)"
        case .floats(let values): "\(values)"
        case .strings(let values): "\(values)"
        case .graph(let value): "\(value)"
        case .elementType(let value): "\(value)"
        }
    }
}

/// Gives a node's attributes to its operator, checks their types, and records which were read.
package struct AttributeReader: Sendable {
    /// The number of outputs of the node, when known: `Split` without sizes makes as many parts.
    package let outputCount: Int?
    private let values: [String: AttributeValue]
    private var read: Set<String> = []

    package init(_ values: [String: AttributeValue], outputCount: Int? = nil) {
        self.values = values
        self.outputCount = outputCount
    }

    /// The names that have not been read, sorted.
    package var unread: [String] { values.keys.filter { !read.contains($0) }.sorted() }

    /// Whether the attribute is present.
    package func contains(_ name: String) -> Bool { values[name] != nil }

    package mutating func int(_ name: String) throws(OperatorError) -> Int? {
        guard let value = take(name) else { return nil }
        guard case .int(let number) = value else { throw mismatch(name, value, "an integer") }
        return Int(number)
    }

    package mutating func int(_ name: String, default fallback: Int) throws(OperatorError) -> Int {
        try int(name) ?? fallback
    }

    /// An integer that means true when it is not zero.
    package mutating func bool(_ name: String, default fallback: Bool) throws(OperatorError) -> Bool {
        try int(name).map { $0 != 0 } ?? fallback
    }

    package mutating func float(_ name: String) throws(OperatorError) -> Float? {
        guard let value = take(name) else { return nil }
        guard case .float(let number) = value else { throw mismatch(name, value, "a float") }
        return number
    }

    package mutating func float(_ name: String, default fallback: Float) throws(OperatorError) -> Float {
        try float(name) ?? fallback
    }

    /// A number with or without a fraction.
    package mutating func number(_ name: String) throws(OperatorError) -> Double? {
        guard let value = take(name) else { return nil }
        switch value {
        case .int(let number): return Double(number)
        case .float(let number): return Double(number)
        default: throw mismatch(name, value, "a number")
        }
    }

    package mutating func string(_ name: String) throws(OperatorError) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else { throw mismatch(name, value, "a string") }
        return text
    }

    /// A string that names one of the choices, regardless of case.
    package mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(OperatorError) -> Choice? {
        guard let text = try string(name) else { return nil }
        guard let choice = Choice.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("attribute \"\(name)\" is \"\(text)\"; one of \(names) is expected")
        }
        return choice
    }

    package mutating func tensor(_ name: String) throws(OperatorError) -> Tensor? {
        guard let value = take(name) else { return nil }
        guard case .tensor(let tensor) = value else { throw mismatch(name, value, "a tensor") }
        return tensor
    }

    package mutating func ints(_ name: String) throws(OperatorError) -> [Int]? {
        guard let value = take(name) else { return nil }
        guard case .ints(let numbers) = value else { throw mismatch(name, value, "a list of integers") }
        return numbers.map(Int.init)
    }

    package mutating func floats(_ name: String) throws(OperatorError) -> [Float]? {
        guard let value = take(name) else { return nil }
        guard case .floats(let numbers) = value else { throw mismatch(name, value, "a list of floats") }
        return numbers
    }

    package mutating func strings(_ name: String) throws(OperatorError) -> [String]? {
        guard let value = take(name) else { return nil }
        guard case .strings(let texts) = value else { throw mismatch(name, value, "a list of strings") }
        return texts
    }

    package mutating func graph(_ name: String) throws(OperatorError) -> Subgraph? {
        guard let value = take(name) else { return nil }
        guard case .graph(let graph) = value else { throw mismatch(name, value, "a graph") }
        return graph
    }

    package mutating func elementType(_ name: String) throws(OperatorError) -> ElementType? {
        guard let value = take(name) else { return nil }
        guard case .elementType(let type) = value else { throw mismatch(name, value, "an element type") }
        return type
    }

    /// Marks an attribute as read that carries nothing Apus needs.
    package mutating func ignore(_ names: String...) {
        read.formUnion(names)
    }

    private mutating func take(_ name: String) -> AttributeValue? {
        read.insert(name)
        return values[name]
    }

    private func mismatch(_ name: String, _ value: AttributeValue, _ expected: String) -> OperatorError {
        .invalid("attribute \"\(name)\" is \(value.kind), not \(expected)")
    }
}
