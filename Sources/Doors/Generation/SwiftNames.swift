/// Makes Swift names from arbitrary names in files.
package struct SwiftNames {
    private var taken: Set<String>

    /// - Parameter reserved: Names that must not be returned.
    package init(reserving reserved: Set<String> = []) { taken = reserved.union(Self.modulesAndTypes) }

    /// Returns a name that no other call returned. It has ASCII letters and digits, `_` in place of other characters,
    /// and a number appended if it would repeat.
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

    /// The name of the type for a model named `text`, with a capital first letter.
    package static func type(_ text: String) -> String {
        let plain = identifier(text)
        guard let first = plain.first else { return "Network" }
        var name = first.isNumber || first == "_" ? "Network" + (first == "_" ? plain : "_" + plain) : plain
        name = (name.first?.uppercased() ?? "") + name.dropFirst()
        return typesUsed.contains(name) ? name + "Model" : name
    }

    /// The letters, digits and underscores of a text. One underscore replaces each sequence of other characters between
    /// them.
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

    /// Names in a wrapper's text that a type of the same name would hide or break.
    private static let typesUsed: Set<String> = [
        "Any", "Apus", "Array", "Bool", "Bundle", "Data", "Dictionary", "Double", "Error", "Float", "Foundation",
        "Input",
        "Int", "Network", "Optional", "Output", "Protocol", "Result", "Self", "Sendable", "Set", "String", "Swift",
        "Task",
        "Type", "Void",
    ]

    /// Names in a wrapper's text that a variable of the same name would hide.
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
    /// The text as a Swift string literal, with everything except printable ASCII escaped.
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

    /// The text as at most `count` lines of a documentation comment, with printable characters only.
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
