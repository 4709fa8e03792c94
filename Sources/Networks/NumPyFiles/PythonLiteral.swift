/// Reads the Python literals that occur in headers of `.npy` files and metadata of detectors: dictionaries with text or
/// whole numbers as keys, tuples, lists, text, whole numbers, booleans. Nothing is evaluated.
package struct PythonLiteral {
    package indirect enum Value: Equatable {
        case dictionary([String: Value])
        case tuple([Value])
        case string(String)
        case integer(Int)
        case boolean(Bool)
        case none
    }

    /// Values that are nested more deeply are refused; a header needs three levels.
    private static let maximumDepth = 8

    private let characters: [Unicode.Scalar]
    private var next = 0

    package init(_ text: String) { characters = Array(text.unicodeScalars) }

    /// Reads one value, which only white space may follow.
    package mutating func wholeValue() throws(NumPyError) -> Value {
        let value = try value(depth: 0)
        skipSpace()
        guard next == characters.count else { throw .damaged("the header goes on after its dictionary") }
        return value
    }

    private mutating func value(depth: Int) throws(NumPyError) -> Value {
        guard depth < Self.maximumDepth else { throw .damaged("the header is nested too deeply") }
        switch peek() {
        case "{": return try dictionary(depth: depth)
        case "(": return .tuple(try list(closedBy: ")", depth: depth))
        case "[": return .tuple(try list(closedBy: "]", depth: depth))
        case "'", "\"": return .string(try string())
        case let first? where first == "-" || ("0"..."9").contains(first): return .integer(try integer())
        case .some: return try word()
        case nil: throw .damaged("the header ends in the middle")
        }
    }

    private mutating func dictionary(depth: Int) throws(NumPyError) -> Value {
        next += 1
        var entries: [String: Value] = [:]
        while peek() != "}" {
            let key: String
            switch try value(depth: depth + 1) {
            case .string(let text): key = text
            case .integer(let number): key = String(number)
            default: throw .damaged("the header's dictionary has an entry without a name")
            }
            guard take(":") else { throw .damaged("the header's dictionary has an entry without a value") }
            guard entries.updateValue(try value(depth: depth + 1), forKey: key) == nil else {
                throw .damaged("the header says \"\(key.printable)\" twice")
            }
            guard take(",") || peek() == "}" else { throw .damaged("a comma is missing in the header") }
        }
        next += 1
        return .dictionary(entries)
    }

    private mutating func list(closedBy end: Unicode.Scalar, depth: Int) throws(NumPyError) -> [Value] {
        next += 1
        var values: [Value] = []
        while peek() != end {
            values.append(try value(depth: depth + 1))
            guard take(",") || peek() == end else { throw .damaged("a comma is missing in the header") }
        }
        next += 1
        return values
    }

    private mutating func string() throws(NumPyError) -> String {
        let quote = characters[next]
        next += 1
        var text = ""
        while next < characters.count, characters[next] != quote {
            let character = characters[next]
            next += 1
            if character == "\\" {
                if let escaped = try escape() { text.unicodeScalars.append(escaped) }
            } else {
                text.unicodeScalars.append(character)
            }
        }
        guard next < characters.count else { throw .damaged("a text in the header has no end") }
        next += 1
        return text
    }

    /// Reads what follows a backslash in a text; nil for the end of a line, which Python leaves out.
    ///
    /// JSON's escapes are read as well: a pair of surrogates stands for one character.
    private mutating func escape() throws(NumPyError) -> Unicode.Scalar? {
        guard next < characters.count else { throw .damaged("a text in the header has no end") }
        let letter = characters[next]
        next += 1
        let plain: [Unicode.Scalar: Unicode.Scalar] = [
            "\\": "\\", "'": "'", "\"": "\"", "/": "/", "n": "\n", "r": "\r", "t": "\t", "a": "\u{7}", "b": "\u{8}",
            "f": "\u{C}", "v": "\u{B}",
        ]
        if let scalar = plain[letter] { return scalar }
        switch letter {
        case "\n": return nil
        case "x": return try scalar(try hexadecimal(2))
        case "U": return try scalar(try hexadecimal(8))
        case "u":
            let first = try hexadecimal(4)
            guard (0xD800...0xDBFF).contains(first), characters[next...].starts(with: "\\u".unicodeScalars) else {
                return try scalar(first)
            }
            next += 2
            let second = try hexadecimal(4)
            guard (0xDC00...0xDFFF).contains(second) else { return try scalar(first) }
            return try scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        default: throw .damaged("the header has an unknown escape in a text")
        }
    }

    private mutating func hexadecimal(_ count: Int) throws(NumPyError) -> UInt32 {
        let digits = characters[next...].prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0.properties.isASCIIHexDigit }) else {
            throw .damaged("the header has an escape without its \(count) digits in a text")
        }
        next += count
        return UInt32(String(String.UnicodeScalarView(digits)), radix: 16) ?? .max
    }

    private func scalar(_ number: UInt32) throws(NumPyError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(number) else {
            throw .damaged("the header has an escape of no character in a text")
        }
        return scalar
    }

    /// Reads an integer, with the `L` that Python 2 wrote after long ones.
    private mutating func integer() throws(NumPyError) -> Int {
        var digits = String(characters[next])
        next += 1
        while next < characters.count, ("0"..."9").contains(characters[next]) {
            digits.unicodeScalars.append(characters[next])
            next += 1
        }
        if next < characters.count, characters[next] == "L" { next += 1 }
        guard let number = Int(digits) else { throw .damaged("\(digits) in the header is no number in range") }
        return number
    }

    private mutating func word() throws(NumPyError) -> Value {
        let words: [(String, Value)] = [("True", .boolean(true)), ("False", .boolean(false)), ("None", .none)]
        for (word, value) in words where characters[next...].starts(with: word.unicodeScalars) {
            next += word.unicodeScalars.count
            return value
        }
        throw .damaged("the header has something unexpected in it")
    }

    private mutating func skipSpace() {
        while next < characters.count, characters[next].properties.isWhitespace { next += 1 }
    }

    /// The next character that is not a space, without taking it.
    private mutating func peek() -> Unicode.Scalar? {
        skipSpace()
        return next < characters.count ? characters[next] : nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == character else { return false }
        next += 1
        return true
    }
}
