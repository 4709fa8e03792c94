/// The documentation page on what Apus reads and refuses of Core ML.
package enum CoreMLTable {
    /// The page, in Markdown.
    package static var text: String {
        var lines = [
            "# What Apus reads of Core ML", "",
            "Written from the code by `make tables`; a test compares them. Specification versions 1 to "
                + "\(CoreMLModel.newestVersion) are read.",
            "", "## Kinds of models", "", "| kind | |", "| --- | --- |",
        ]
        for kind in CoreMLModelKind.allCases { lines.append("| `\(kind.name)` | \(kind.refusal ?? "read") |") }
        lines += ["", "## Layers of neural networks", "", "| layer | field | |", "| --- | --- | --- |"]
        for kind in LayerKind.all {
            let support: String
            switch kind.support {
            case .translated: support = LayerKind.exactKinds.contains(kind.field) ? "read, with exact shapes" : "read"
            case .refused(let reason): support = "refused: \(reason)"
            }
            lines.append("| `\(kind.name)` | \(kind.field.rawValue) | \(support) |")
        }
        let operations = MILOperatorKind.all.map { "`\($0.name)`" }.joined(separator: ", ")
        lines += [
            "", "## Operations of ML programs", "",
            "These are read, in float32, whatever type the program names: \(operations).",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
