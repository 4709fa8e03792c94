import Apus
import ArgumentParser

/// `apus merge`: one output out of those of shards.
struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the outputs of shards.",
        discussion: """
            EXAMPLES:
              apus merge part*.jsonl -o results.jsonl
              apus merge part1.sqlite part2.sqlite -o results.sqlite

            Every OUTPUT is what apus predict wrote with --shard, finished, with its
            OUTPUT.run.json beside it: CSV, JSON Lines, NumPy or SQLite. All shards of one
            run are needed, each once; rows come shard after shard.
            """)

    @Argument(help: ArgumentHelp("The outputs of all shards of one run.", valueName: "output"))
    var outputs: [String]

    @Option(name: [.short, .long], help: ArgumentHelp("The file to write.", valueName: "file"))
    var output: String

    @Flag(help: "Write the counts as one JSON document on standard output.")
    var json = false

    @OptionGroup var writing: WritingOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func run() throws {
        let merge = try RunMerge(outputs)
        var claims = writing.claims(reading: merge.files)
        try claims.add(output, as: .mergedRows(merge.format), option: "--output")
        let manifest = try merge.write(to: output)
        if json { return try Answer.write(json: manifest) }
        guard !logging.quiet else { return }
        StandardError.write(
            "apus: \(manifest.rows.finished.count.grouped) rows of \(outputs.count) shards in \(output), "
                + "\(manifest.rows.failed.grouped) of them errors")
    }
}
