import Apus
import ArgumentParser
import FoundationEssentials
import SharedOptions

/// `apus merge`: joins the outputs of shards.
struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the outputs of shards, or verify outputs.",
        discussion: """
            EXAMPLES:
              apus merge part*.jsonl -o results.jsonl
              apus merge part*.csv -o results.csv --ordered
              apus merge part1.sqlite part2.sqlite -o results.sqlite
              apus merge --verify results.jsonl

            Every OUTPUT is a finished output of apus predict --shard, in any format, with
            its OUTPUT.run.json beside it. All shards of one run are needed, each once.
            Before anything is written, lengths, checksums and numbers of rows are compared
            with the manifests. Parts from earlier versions have no checksums; their rows
            are counted.

            Rows come shard by shard, or with --ordered in the order of the inputs, as one
            run would have written them. OUTPUT.run.rows beside each part contains the
            positions of its rows (databases have a table of them).

            --verify compares outputs with their manifests and writes nothing. The outputs
            may come from whole runs, shards or merges. The exit code is 5 when one is
            damaged, and 1 when one is intact but not finished.
            """)

    @Argument(help: ArgumentHelp("The outputs of all shards of one run.", valueName: "output"), completion: .file())
    var outputs: [String]

    @Option(name: [.short, .long], help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Put rows in the order of the run's inputs.")
    var ordered = false

    @Option(
        help: ArgumentHelp(
            "The format of the outputs, if the name of the file to write does not tell it.",
            valueName: "name"))
    var format: String?

    @Flag(help: "Only compare the outputs with their manifests.")
    var verify = false

    @Flag(help: "Write the counts as one JSON document on standard output.")
    var json = false

    @OptionGroup var writing: WritingOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func validate() throws {
        guard verify else {
            guard let output, !output.isEmpty else { throw ValidationError("give --output, or --verify") }
            return
        }
        guard output == nil, format == nil, !ordered else {
            throw ValidationError("--verify writes nothing, and takes no --output, --format or --ordered")
        }
    }

    func run() throws {
        guard let output else { return try verifyOutputs() }
        let merge = try RunMerge(outputs)
        try checkForm(of: merge, output)
        var claims = writing.claims(reading: merge.files)
        try claims.add(output, as: .mergedRows(merge.format), option: "--output")
        let manifest = try merge.write(to: output, isOrdered: ordered)
        if json { return try StandardOutput.write(json: manifest) }
        guard !logging.quiet else { return }
        StandardError.write(
            "apus: \(manifest.rows.finished.count.grouped) rows of \(outputs.count) shards in \(output), "
                + "\(manifest.rows.failed.grouped) of them errors")
    }

    /// Refuses an output name whose extension means another format than that of the parts.
    private func checkForm(of merge: RunMerge, _ output: String) throws(ApusError) {
        if let format {
            guard format != merge.format else { return }
            throw .usage("--format \(format): the outputs to merge are \(merge.format)")
        }
        let fileExtension = URL(fileURLWithPath: output).pathExtension.lowercased()
        guard let kind = Catalog.sinks.first(where: { $0.fileExtensions.contains(fileExtension) }),
            kind.name != merge.format
        else { return }
        throw .usage(
            "\(output): the outputs to merge are \(merge.format); give a matching name, or --format "
                + merge.format)
    }

    /// The result of comparing an output with its manifest.
    private struct Verification: Encodable {
        let output: String
        var state: RunManifest.State?
        var succeeded: Int?
        var failed: Int?
        var total: Int?
        /// Whether the manifest has checksums. Without them edited rows are not detected.
        var hasChecksums: Bool?
        var error: String?

        /// The message about an output that matches its manifest.
        var line: String {
            let count = ((succeeded ?? 0) + (failed ?? 0)).grouped
            let errors = failed.map { $0 > 0 ? ", \($0.grouped) of them errors" : "" } ?? ""
            let rows = state == .finished ? count : count + (total.map { " of \($0.grouped)" } ?? "")
            let comparison =
                hasChecksums == true
                ? "as they were written" : "compared without checksums, which earlier versions lack"
            let end = state == .finished ? "" : "; not finished"
            return "\(output.printable): \(rows) rows\(errors), \(comparison)\(end)"
        }
    }

    private func verifyOutputs() throws {
        let results = outputs.map(verification)
        if json { try StandardOutput.write(json: results) }
        for error in results.compactMap(\.error) { StandardError.write("apus: \(error.shortened)") }
        if !json { try StandardOutput.write(results.filter { $0.error == nil }.map(\.line)) }
        if results.contains(where: { $0.error != nil }) { throw ExitStatus.unreadableOrUnwritable }
        if results.contains(where: { $0.state != .finished }) { throw ExitStatus.doneWithFailures }
    }

    private func verification(_ output: String) -> Verification {
        do throws(ApusError) {
            guard let manifest = try RunManifest.read(besideOutput: output) else {
                throw .file(path: output, message: "has no \(RunManifest.path(of: output)) beside it")
            }
            try manifest.verify(output: output)
            return Verification(
                output: output, state: manifest.state, succeeded: manifest.rows.succeeded,
                failed: manifest.rows.failed, total: manifest.total,
                hasChecksums: manifest.checkpoint.checksums != nil)
        } catch {
            return Verification(output: output, error: "\(error)")
        }
    }
}
