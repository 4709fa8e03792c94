import Apus
import ArgumentParser

/// The options of what rows say.
package struct AnswerOptions: ParsableArguments {
    package init() {}

    @Option(help: ArgumentHelp("The maximum number of classes per picture.", valueName: "count"))
    package var top = 5

    @Option(
        help: ArgumentHelp(
            """
            The minimum confidence of classes or objects, or share of the foreground, from 0 to 1 (default: 0; 0.25 for \
            objects; 0.5 for the foreground).
            """,
            valueName: "number"))
    package var minConfidence: Float?

    package func validate() throws {
        try ExecutionOptions.check(top, "--top")
        if let minConfidence, !(0...1).contains(minConfidence) {
            throw ValidationError("--min-confidence must lie between 0 and 1, not \(minConfidence)")
        }
    }

    /// The options of rows.
    package func rowOptions(
        _ content: ImageAnswer.Content = .classes, maskForm: MaskForm?
    ) -> SinkKind.RowOptions {
        SinkKind.RowOptions(
            top: top, minimumConfidence: minConfidence ?? 0, content: content, maskForm: maskForm ?? .rle)
    }
}
