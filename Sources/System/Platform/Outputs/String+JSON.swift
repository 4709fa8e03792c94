extension String {
    /// Appends a JSON string with its quotation marks.
    package mutating func appendJSON(_ text: String) {
        append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case _ where scalar.steersTerminal: append(scalar.escapedAsJSON)
            default: unicodeScalars.append(scalar)
            }
        }
        append("\"")
    }

    /// The JSON document with characters that steer a terminal escaped. Outside of strings, the only such characters
    /// of JSON are line breaks.
    package var withEscapedControls: String {
        guard unicodeScalars.contains(where: { $0.steersTerminal && $0 != "\n" }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.steersTerminal, scalar != "\n" {
                text += scalar.escapedAsJSON
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Appends a JSON string, or null.
    package mutating func appendJSON(_ text: String?) {
        if let text { appendJSON(text) } else { append("null") }
    }

    /// Appends a number with the fewest digits that read back as the same number; null for infinities and NaN.
    package mutating func appendJSON(_ number: Float) {
        append(number.isFinite ? number.description : "null")
    }
}

extension Unicode.Scalar {
    /// The scalar as JSON escapes it: in UTF-16, with four digits for each unit.
    fileprivate var escapedAsJSON: String {
        String(self).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }.joined()
    }
}

extension Duration {
    /// The duration in seconds, rounded to microseconds.
    package var secondsText: String { ((self / .microseconds(1)).rounded() / 1e6).description }
}
