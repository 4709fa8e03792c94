import Apus
import ArgumentParser
import FoundationEssentials
import Glibc
import Measuring
import SharedOptions

/// The options for the output of predictions.
struct OutputOptions: ParsableArguments {
    @OptionGroup var answers: AnswerOptions
    @OptionGroup var rows: RowFileOptions

    @Option(
        name: [.short, .long], help: ArgumentHelp("The output; - is standard output.", valueName: "file"),
        completion: .file())
    var output = "-"

    @Option(
        help: ArgumentHelp(
            "Also write a page with thumbnails that are filtered by class and confidence, as a single HTML file.",
            valueName: "file"),
        completion: .file())
    var report: String?

    @Flag(help: "Write one JSON document to standard output: the summary, and all rows unless --output is given.")
    var json = false

    func validate() throws {
        if json, rows.format != nil, output == "-" {
            throw ValidationError("--json is a format of its own for standard output")
        }
        if rows.resume, output == "-" { throw ValidationError("--resume needs an output that is a file") }
        if output.isEmpty { throw ValidationError("--output needs the name of a file") }
        _ = try sinkKind(onTerminal: false)
        try ReportFile.check(report)
    }

    /// Whether rows go to a terminal.
    var goesToTerminal: Bool { output == "-" && isatty(STDOUT_FILENO) == 1 }

    /// Reserves the output for this run.
    ///
    /// - Throws: `ValidationError`; ``ApusError`` when it cannot be written, or another process writes to it.
    func reserve(model: String, maskForm: MaskForm?) throws -> RunOutput {
        let rowOptions = answers.rowOptions(maskForm: maskForm)
        guard output != "-" else {
            let kind = json ? PredictionDocument.kind(model: model) : try sinkKind(onTerminal: goesToTerminal)
            return RunOutput(as: kind, options: rowOptions)
        }
        if OutputFile.isStream(output) {
            guard !rows.resume else { throw ApusError.usage("\(output): is not a file, and cannot be resumed") }
            return RunOutput(streamingTo: output, as: try sinkKind(onTerminal: false), options: rowOptions)
        }
        let reservation = try RunReservation(path: output, resuming: rows.resume)
        var result = RunOutput(reservation, as: try sinkKind(onTerminal: false), options: rowOptions)
        result.commits.rowCount = rows.commitRows
        return result
    }

    /// Refuses formats that cannot hold the answers.
    func checkForm(_ content: ImageAnswer.Content) throws {
        guard !(json && output == "-") else { return }
        let kind = try sinkKind(onTerminal: goesToTerminal)
        guard !kind.contents.contains(content) else { return }
        throw ApusError.usage("--format \(kind.name) cannot hold \(content.rawValue)")
    }

    /// Adds the output to the command's claims.
    ///
    /// - Throws: `ValidationError`; ``ApusError`` when it may not be written.
    func add(to claims: inout OutputClaims) throws {
        if let report { try claims.add(report, as: .page(.predictions), option: "--report") }
        guard output != "-" else { return }
        try claims.add(output, as: .rows(try sinkKind(onTerminal: false)), option: "--output")
    }

    /// With `--json`, writes the document to standard output, or only its end if rows were written there.
    func answer(_ summary: RunSummary, notices: [String], model: String) throws {
        guard json else { return }
        if output == "-" {
            try PredictionDocument.writeEnd(summary, notices: notices)
        } else {
            try PredictionDocument.write(summary, notices: notices, model: model)
        }
    }

    private func sinkKind(onTerminal: Bool) throws -> SinkKind {
        let kind = try namedKind(onTerminal: onTerminal)
        let isFile = output != "-" && !OutputFile.isStream(output)
        guard kind.isStreamable || isFile else {
            throw ValidationError("--format \(kind.name) needs --output with the name of a file")
        }
        return kind
    }

    private func namedKind(onTerminal: Bool) throws -> SinkKind {
        if let format = rows.format {
            if let kind = Catalog.sinks.first(where: { $0.name == format }) { return kind }
            let names = Catalog.sinks.map(\.name).joined(separator: ", ")
            throw ValidationError("--format \(format): there is no such format; there are \(names)")
        }
        if output == "-" { return onTerminal ? .table : .jsonLines }
        let fileExtension = URL(fileURLWithPath: output).pathExtension.lowercased()
        if let kind = Catalog.sinks.first(where: { $0.fileExtensions.contains(fileExtension) }) { return kind }
        if OutputFile.isStream(output) { return onTerminal ? .table : .jsonLines }
        let known = Catalog.sinks.flatMap(\.fileExtensions).map { "." + $0 }.joined(separator: ", ")
        throw ValidationError("--output \(output): give --format, or a name that ends in one of \(known)")
    }
}
