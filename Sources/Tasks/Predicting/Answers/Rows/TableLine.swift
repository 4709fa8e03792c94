import Platform

/// A line of a table for people.
package struct TableLine {
    /// What the line is about; labels of a table are padded to one width. nil for a line of text alone.
    package var label: String?
    /// The text behind the label.
    package var text: String
    /// The style of the label and the text.
    package var style = TextStyle.bold
    /// What follows in plain style.
    package var rest = ""

    package init(label: String? = nil, text: String, style: TextStyle = .bold, rest: String = "") {
        (self.label, self.text, self.style, self.rest) = (label, text, style, rest)
    }

    /// The line that stands where nothing was found.
    package static func nothing(_ text: String) -> TableLine { TableLine(text: text, style: .faint) }

    /// The place and the size of a box as `  10    20    300 x 400`, aligned.
    package static func box(_ numbers: [Float], decimals: Int, width: Int) -> String {
        let texts = numbers.map { Double($0).text(decimals: decimals, width: width) }
        return "\(texts[0]) \(texts[1])  \(texts[2]) x \(texts[3].trimmed)"
    }

    /// A confidence as ` 99.94 %`, aligned.
    package static func percentage(_ confidence: Float) -> String {
        guard confidence.isFinite else { return "     ? %" }
        return (Double(confidence) * 100).text(decimals: 2, width: 6) + " %"
    }
}
