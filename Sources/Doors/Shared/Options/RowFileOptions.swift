import Apus
import ArgumentParser

/// The options of the file of rows.
package struct RowFileOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            """
            table, csv, jsonl, npy, sqlite, coco, label-studio, plain or hocr (default: by the name; table on a terminal, \
            else jsonl).
            """,
            valueName: "name"), completion: .list(Catalog.sinks.map(\.name)))
    package var format: String?

    @Flag(help: "Resume the run into this output, or begin one if there is none.")
    package var resume = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of rows per commit to the disk; a commit follows at least once a second.",
            valueName: "count")
    )
    package var commitRows = CommitPolicy().rowCount

    package func validate() throws { try ExecutionOptions.check(commitRows, "--commit-rows") }
}
