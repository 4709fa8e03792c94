import Apus
import ArgumentParser

/// The option of the names of classes.
package struct LabelOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp("The names of classes: one per line, or JSON (id2label, list or map).", valueName: "file"),
        completion: .file())
    package var labels: String?

    /// The names of the file; nil without one.
    package func names() throws(ApusError) -> Labels? {
        try labels.map { path throws(ApusError) in try Labels(contentsOf: path) }
    }
}
