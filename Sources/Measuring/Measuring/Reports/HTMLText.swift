import Platform

extension String {
    /// The text with HTML's special characters escaped.
    var escapedHTML: String {
        printable.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension String {
    /// The HTML attribute that shows the text as a tooltip; line breaks are kept.
    var tipAttribute: String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map { String($0).escapedHTML }
        return " data-tip=\"\(lines.joined(separator: "&#10;"))\""
    }
}
