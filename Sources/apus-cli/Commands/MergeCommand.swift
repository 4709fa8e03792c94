import Apus
import ArgumentParser
import Foundation

/// `apus merge`: one output out of those of shards.
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

            Every OUTPUT is what apus predict wrote with --shard, finished, with its
            OUTPUT.run.json beside it, in any format. All shards of one run are needed,
            each once. Lengths, checksums and numbers of rows are compared with the
            manifests before anything is written; of parts that an earlier version wrote,
            which have no checksums, rows are counted.

            Rows come shard after shard, or with --ordered in the order of the inputs, as
            one run would have written them; OUTPUT.run.rows beside each part says where
            its rows belong (in databases a table does).

            --verify compares outputs with their manifests and writes nothing; they may be
            of whole runs, of shards, or merged. One that is damaged makes the exit code
            5, one that is right but not finished 1.
            """)

    @Argument(help: ArgumentHelp("The outputs of all shards of one run.", valueName: "output"), completion: .file())
    var outputs: [String]

    @Option(name: [.short, .long], help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Put rows in the order of the inputs of the run.")
    var ordered = false

    @Option(
        help: ArgumentHelp(
            "The format that the outputs have, where the name of the file to write says another or none.",
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
        if json { return try Answer.write(json: manifest) }
        guard !logging.quiet else { return }
        StandardError.write(
            "apus: \(manifest.rows.finished.count.grouped) rows of \(outputs.count) shards in \(output), "
                + "\(manifest.rows.failed.grouped) of them errors")
    }

    /// Refuses a name that promises another form than the parts have.
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
            "\(output): the outputs to merge are \(merge.format), and stay that; give another name, or --format "
                + merge.format)
    }

    /// What comparing an output with its manifest gave.
    private struct Verification: Encodable {
        let output: String
        var state: RunManifest.State?
        var succeeded: Int?
        var failed: Int?
        var total: Int?
        /// Whether the manifest has checksums; without them an edited row is not seen.
        var hasChecksums: Bool?
        var error: String?

        /// What people are told of an output that is as its manifest says.
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
        if json { try Answer.write(json: results) }
        for error in results.compactMap(\.error) { StandardError.write("apus: \(error.shortened)") }
        if !json { try Answer.write(results.filter { $0.error == nil }.map(\.line)) }
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
