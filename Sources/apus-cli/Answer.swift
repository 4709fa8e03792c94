import Apus
import Foundation

/// A command's answer on standard output.
enum Answer {
    /// Writes lines for people.
    static func write(_ lines: [String]) throws(OutputError) {
        try OutputFile.standardOutput().write(lines.map { $0 + "\n" }.joined())
    }

    /// Writes one JSON document.
    static func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        try OutputFile.standardOutput().write(text.withEscapedControls + "\n")
    }
}

extension Int {
    /// The number with commas between thousands.
    var grouped: String {
        var digits = ""
        for (position, digit) in String(magnitude).reversed().enumerated() {
            if position > 0, position.isMultiple(of: 3) { digits.append(",") }
            digits.append(digit)
        }
        return (self < 0 ? "-" : "") + String(digits.reversed())
    }
}
