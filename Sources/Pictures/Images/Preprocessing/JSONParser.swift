import FoundationEssentials

/// Reads a JSON document in UTF-8. Of equal keys of an object, the last counts.
///
/// Source: https://www.rfc-editor.org/rfc/rfc8259
struct JSONParser {
    /// The document is not JSON, is nested too deeply, or has a number that no `Double` is close to.
    struct Damage: Error {}

    /// How deep lists and objects may be nested. Each level takes a part of the stack.
    private static let deepest = 512
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let bytes: [UInt8]
    private var position: Int

    init(_ document: Data) {
        bytes = [UInt8](document)
        position = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
    }

    /// The value of the whole document.
    mutating func document() throws(Damage) -> JSONValue {
        let value = try value(depth: 0)
        guard next == nil else { throw Damage() }
        return value
    }

    /// The next byte that is no white space; nil at the end.
    private var next: UInt8? {
        mutating get {
            while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
            return position < bytes.count ? bytes[position] : nil
        }
    }

    private mutating func value(depth: Int) throws(Damage) -> JSONValue {
        guard let byte = next, depth < Self.deepest else { throw Damage() }
        switch byte {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Damage) -> JSONValue {
        for byte in word.description.utf8 { try take(byte) }
        return value
    }

    /// Passes over one byte, which has to be there.
    private mutating func take(_ byte: UInt8) throws(Damage) {
        guard position < bytes.count, bytes[position] == byte else { throw Damage() }
        position += 1
    }

    private mutating func elements(depth: Int) throws(Damage) -> [JSONValue] {
        var elements: [JSONValue] = []
        try forEach(until: UInt8(ascii: "]")) { parser throws(Damage) in
            elements.append(try parser.value(depth: depth + 1))
        }
        return elements
    }

    private mutating func members(depth: Int) throws(Damage) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        try forEach(until: UInt8(ascii: "}")) { parser throws(Damage) in
            guard parser.next == UInt8(ascii: "\"") else { throw Damage() }
            let key = try parser.string()
            guard parser.next == UInt8(ascii: ":") else { throw Damage() }
            parser.position += 1
            members[key] = try parser.value(depth: depth + 1)
        }
        return members
    }

    /// Calls `read` at each entry between an opening bracket and `end`.
    private mutating func forEach(
        until end: UInt8, _ read: (inout JSONParser) throws(Damage) -> Void
    ) throws(Damage) {
        position += 1
        if next == end {
            position += 1
            return
        }
        while true {
            try read(&self)
            let separator = next
            position += 1
            if separator == end { return }
            guard separator == UInt8(ascii: ",") else { throw Damage() }
        }
    }
}

extension JSONParser {
    /// The number at the position: `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?`.
    private mutating func number() throws(Damage) -> JSONValue {
        let start = position
        pass("-")
        if !pass("0") { try passDigits() }
        let endOfWhole = position
        if pass(".") { try passDigits() }
        if pass("e") || pass("E") {
            if !pass("-") { pass("+") }
            try passDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw Damage() }
        return .number(value, whole: endOfWhole == position ? Int(text) : Int(exactly: value))
    }

    @discardableResult private mutating func pass(_ scalar: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func passDigits() throws(Damage) {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        guard position > start else { throw Damage() }
    }

    /// The string at the position, which is that of its first quotation mark.
    private mutating func string() throws(Damage) -> String {
        position += 1
        var text: [UInt8] = []
        var start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                text += bytes[start..<position]
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else { throw Damage() }
                return string
            case UInt8(ascii: "\\"):
                text += bytes[start..<position]
                position += 1
                text += String(try escaped()).utf8
                start = position
            case ..<0x20: throw Damage()
            default: position += 1
            }
        }
        throw Damage()
    }

    /// The scalar behind a backslash.
    private mutating func escaped() throws(Damage) -> Unicode.Scalar {
        guard position < bytes.count else { throw Damage() }
        position += 1
        switch bytes[position - 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedUnits()
        default: throw Damage()
        }
    }

    /// The scalar behind `\u`: one unit of UTF-16, or two as a pair of surrogates.
    private mutating func escapedUnits() throws(Damage) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        try take(UInt8(ascii: "\\"))
        try take(UInt8(ascii: "u"))
        let second = try unit()
        guard UTF16.isLeadSurrogate(first), UTF16.isTrailSurrogate(second) else { throw Damage() }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    /// Four hexadecimal digits.
    private mutating func unit() throws(Damage) -> UInt16 {
        let digits = bytes[position...].prefix(4)
        position += digits.count
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Damage() }
        return unit
    }
}
