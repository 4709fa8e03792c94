import Inference

/// Makes names of Swift out of names in files, which may be anything.
package struct SwiftNames {
    private var taken: Set<String>

    /// - Parameter reserved: Names that are not given.
    package init(reserving reserved: Set<String> = []) { taken = reserved.union(Self.modulesAndTypes) }

    /// A name that no other call gave: letters and digits of ASCII, `_` for what else there is, and a number behind it where
    /// it would be the second of its kind.
    package mutating func variable(_ text: String, otherwise: String) -> String {
        var name = Self.identifier(text)
        if name.isEmpty { name = otherwise }
        if name.first?.isNumber == true { name = "_" + name }
        if Self.keywords.contains(name) { name += "_" }
        var (unique, number) = (name, 2)
        while !taken.insert(unique).inserted {
            unique = "\(name)_\(number)"
            number += 1
        }
        return unique
    }

    /// The name of a type for a model that is called `text`, beginning with a capital.
    package static func type(_ text: String) -> String {
        let plain = identifier(text)
        guard let first = plain.first else { return "Network" }
        var name = first.isNumber || first == "_" ? "Network" + (first == "_" ? plain : "_" + plain) : plain
        name = (name.first?.uppercased() ?? "") + name.dropFirst()
        return typesUsed.contains(name) ? name + "Model" : name
    }

    /// The letters, digits and underscores of a text, with one underscore for each run of others between them.
    private static func identifier(_ text: String) -> String {
        var name = ""
        var hasGap = false
        for scalar in text.unicodeScalars {
            guard scalar.isASCII,
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
            else {
                hasGap = true
                continue
            }
            if hasGap, !name.isEmpty { name.append("_") }
            hasGap = false
            name.unicodeScalars.append(scalar)
            if name.utf8.count >= longest { break }
        }
        return name.allSatisfy { $0 == "_" } ? "" : name
    }

    private static let longest = 80

    /// What a name of its own would hide or break in the text of a wrapper.
    private static let typesUsed: Set<String> = [
        "Any", "Apus", "Array", "Bool", "Bundle", "Data", "Dictionary", "Double", "Error", "Float", "Foundation",
        "Input",
        "Int", "Network", "Optional", "Output", "Protocol", "Result", "Self", "Sendable", "Set", "String", "Swift",
        "Task",
        "Type", "Void",
    ]

    /// What the text of a wrapper looks up where its variables are in sight: they would hide it.
    private static let modulesAndTypes: Set<String> = ["Apus", "Foundation", "Input", "Output", "Swift"]

    private static let keywords: Set<String> = [
        "Any", "Self", "Protocol", "Type", "actor", "as", "associatedtype", "async", "await", "break", "case", "catch",
        "class", "continue", "convenience", "default", "defer", "deinit", "didSet", "do", "dynamic", "else", "enum",
        "extension", "fallthrough", "false", "fileprivate", "final", "for", "func", "get", "guard", "if", "import",
        "in",
        "indirect", "infix", "init", "inout", "internal", "is", "lazy", "left", "let", "macro", "mutating", "nil",
        "none",
        "nonisolated", "nonmutating", "open", "operator", "optional", "override", "package", "postfix",
        "precedencegroup",
        "prefix", "private", "protocol", "public", "repeat", "required", "rethrows", "return", "right", "self", "set",
        "some", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
        "unowned", "var", "weak", "where", "while", "willSet", "_",
    ]
}

extension String {
    /// The text as a literal of Swift, with everything but plain ASCII escaped.
    package var swiftLiteral: String {
        let body = unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case " "..."~": String(scalar)
            default: "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return "\"" + body.joined() + "\""
    }

    /// The text as lines of a documentation comment, at most so many, of printable characters.
    package func documentation(indentedBy indent: String, atMost count: Int = 20) -> [String] {
        let lines = split(whereSeparator: \.isNewline).prefix(count).map { line in
            String(String.UnicodeScalarView(line.unicodeScalars.prefix(400).map { $0.isPrintable ? $0 : " " }))
        }
        return lines.map { line in
            let text = String(line.drop { $0 == " " })
            return indent + (text.isEmpty ? "///" : "/// " + text)
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
