import Platform

extension String {
    /// The text as a cell of CSV, quoted if necessary.
    package var csvCell: String {
        let visible = withVisibleControls
        let safe = visible.withoutFormulas
        let needsQuotes =
            safe != visible
            || safe.unicodeScalars.contains { [",", ";", "\t", "\"", "\r", "\n"].contains($0) }
            || safe.first == " " || safe.last == " "
        guard needsQuotes else { return safe }
        var quoted = "\""
        for scalar in safe.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// The text, escaped so that no spreadsheet runs it as a formula, even one that separates cells at semicolons or
    /// tabs.
    ///
    /// A cell may begin at the start of the text and after each comma, semicolon, tab and line break, with spaces and
    /// quotation marks before its content. There `=`, `+`, `-` and `@`, and their wide forms, get an apostrophe in
    /// front. So do tabs and line breaks at the start of the text. Existing apostrophes before such a character get one
    /// more, so removing one apostrophe at each of these places restores the text.
    package var withoutFormulas: String {
        let starters: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
        let separators: Set<Unicode.Scalar> = [",", ";", "\t", "\r", "\n"]
        guard unicodeScalars.contains(where: { starters.contains($0) || separators.contains($0) }) else { return self }
        var result = String.UnicodeScalarView()
        var mayBegin = true
        var isFirst = true
        for scalar in unicodeScalars {
            let isBlank = isFirst && ["\t", "\r", "\n"].contains(scalar)
            if isBlank || mayBegin && starters.contains(scalar) { result.append("'") }
            result.append(scalar)
            mayBegin = separators.contains(scalar) || mayBegin && [" ", "\"", "'"].contains(scalar)
            isFirst = isFirst && scalar == "'"
        }
        return String(result)
    }
}
