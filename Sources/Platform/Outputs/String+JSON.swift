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

    /// A JSON document in which what steers a terminal is escaped; outside of strings JSON has nothing of the kind but
    /// line breaks.
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

    /// Appends a number with the fewest digits that read back as the same one; null when JSON has no word for it.
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
    /// Seconds, to the microsecond.
    package var secondsText: String { ((self / .microseconds(1)).rounded() / 1e6).description }
}
