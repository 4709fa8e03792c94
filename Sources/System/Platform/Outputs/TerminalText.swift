import FoundationEssentials

extension String {
    /// The text on one line, with control characters written as `\x1B`, so that a name cannot steer a terminal.
    package var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.steersTerminal {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\x" + (digits.count < 2 ? "0" + digits : digits)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text with everything that could steer a terminal written as `\x1B`, except line breaks and tabs.
    package var withVisibleControls: String {
        guard unicodeScalars.contains(where: { $0.value < 0x20 || $0.value > 0x7E }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if ["\n", "\r", "\t"].contains(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += String(scalar).printable
            }
        }
    }

    /// The number of terminal columns that the text takes.
    package var columnCount: Int {
        // Each printable ASCII character is one column; most text is nothing else.
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return utf8.count }
        return reduce(0) { count, character in
            count + (character.unicodeScalars.first.map(Self.isWide) == true ? 2 : 1)
        }
    }

    /// The text, padded with spaces after it to a number of columns.
    package func padded(to columns: Int) -> String {
        self + String(repeating: " ", count: max(0, columns - columnCount))
    }

    /// The text, padded with spaces before it to a number of columns.
    package func leftPadded(to columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - columnCount)) + self
    }

    /// Whether a character takes two columns: East Asian wide and fullwidth characters, and pictographs.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar may make a terminal act, or reorder or hide the text around the scalar.
    package var steersTerminal: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        // The zero-width joiner and non-joiner are part of words in some languages.
        if self == "\u{200C}" || self == "\u{200D}" { return false }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format: return true
        default: return false
        }
    }
}

/// How a terminal shows a text.
package enum TextStyle: Int, Sendable {
    case bold = 1
    case faint = 2
    case red = 31
    case green = 32

    /// Whether the environment allows colors.
    package static var isWanted: Bool {
        let environment = ProcessInfo.processInfo.environment
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// The text in this style.
    package func applied(to text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
