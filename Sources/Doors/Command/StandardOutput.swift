import Apus
import FoundationEssentials
import SharedOptions

/// Writes a command's answer to standard output.
enum StandardOutput {
    /// Writes lines of text.
    static func write(_ lines: [String]) throws(OutputError) {
        try OutputFile.standardOutput().write(lines.map { $0 + "\n" }.joined())
    }

    /// Writes one JSON document.
    static func write(json value: some Encodable) throws {
        try OutputFile.standardOutput().write(JSONDocument.text(of: value, isPretty: true) + "\n")
    }
}

extension Int {
    /// The number with commas as thousands separators.
    var grouped: String {
        var digits = ""
        for (position, digit) in String(magnitude).reversed().enumerated() {
            if position > 0, position.isMultiple(of: 3) { digits.append(",") }
            digits.append(digit)
        }
        return (self < 0 ? "-" : "") + String(digits.reversed())
    }
}
