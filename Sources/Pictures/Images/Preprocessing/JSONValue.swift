import FoundationEssentials

/// Any JSON value. Booleans are distinguished from numbers.
package enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// A number, and the same as an integer where it is one; an integer can have more digits than a `Double` holds.
    case number(Double, whole: Int?)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a JSON document in UTF-8; nil where it is none.
    package init?(_ document: Data) {
        var parser = JSONParser(document)
        guard let value = try? parser.document() else { return nil }
        self = value
    }

    /// The kind of the value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let value, _): "\(value)"
        case .string(let value): "the text \"\(value.prefix(40))\""
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    package var number: Double? { if case .number(let value, _) = self { value } else { nil } }

    /// A number that is an integer.
    package var integer: Int? { if case .number(_, let whole) = self { whole } else { nil } }

    package var string: String? { if case .string(let value) = self { value } else { nil } }

    package var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    package var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }

    /// A list of strings.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }
}

extension JSONValue {
    /// The value as a document, which gives the same value when it is read.
    package var document: Data {
        var text = ""
        append(to: &text)
        return Data(text.utf8)
    }

    private func append(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += "\(value)"
        case .number(_, let whole?): text += "\(whole)"
        case .number(let value, nil): text += "\(value)"
        case .string(let value): Self.append(value, to: &text)
        case .array(let elements):
            for (position, element) in elements.enumerated() {
                text += position == 0 ? "[" : ","
                element.append(to: &text)
            }
            text += elements.isEmpty ? "[]" : "]"
        case .object(let members):
            for (position, (key, value)) in members.enumerated() {
                text += position == 0 ? "{" : ","
                Self.append(key, to: &text)
                text += ":"
                value.append(to: &text)
            }
            text += members.isEmpty ? "{}" : "}"
        }
    }

    private static func append(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case ..<" ": text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
