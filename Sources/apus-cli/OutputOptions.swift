import Apus
import ArgumentParser
import Foundation

/// Where predictions go, in which form, and how many classes of each picture.
struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many classes per picture.", valueName: "count"))
    var top = 5

    @Option(help: ArgumentHelp("Leave out classes with less confidence, from 0 to 1.", valueName: "number"))
    var minConfidence: Float = 0

    @Option(
        help: ArgumentHelp(
            "table, csv or jsonl (default: by the output's extension; table on a terminal, jsonl in a pipe).",
            valueName: "name"))
    var format: String?

    @Option(name: [.short, .long], help: ArgumentHelp("The output; - is standard output.", valueName: "file"))
    var output = "-"

    @Flag(help: "Write one JSON document on standard output: every row, and counts.")
    var json = false

    func validate() throws {
        try ExecutionOptions.check(top, "--top")
        guard (0...1).contains(minConfidence) else {
            throw ValidationError("--min-confidence must lie between 0 and 1, not \(minConfidence)")
        }
        if json, format != nil || output != "-" {
            throw ValidationError("--json goes to standard output and has no other format or file")
        }
        if output.isEmpty { throw ValidationError("--output needs the name of a file") }
        _ = try sinkKind(onTerminal: false)
    }

    var rowOptions: RowOptions { RowOptions(top: top, minimumConfidence: minConfidence) }

    /// Whether people watch the rows.
    var goesToTerminal: Bool { output == "-" && isatty(STDOUT_FILENO) == 1 }

    /// Creates the output, and the sink that writes to it.
    ///
    /// - Parameter notices: What there is to say about the run, asked for at its end.
    func makeSink(model: Model, ids: [String], notices: @escaping () -> [String]) throws -> any Sink {
        let file = output == "-" ? OutputFile.standardOutput() : try OutputFile(path: output)
        if json { return PredictionDocument(file, rowOptions, model: model.name, notices: notices) }
        return try sinkKind(onTerminal: file.isTerminal).make(file, rowOptions, ids)
    }

    /// Refuses to write over what is read.
    func checkOutput(isNoneOf inputs: some Sequence<String>) throws(ApusError) {
        guard output != "-", let written = FileIdentity(output), written.isRegular else { return }
        for input in inputs where FileIdentity(input) == written {
            throw .usage("--output \(output) is one of the inputs")
        }
    }

    private func sinkKind(onTerminal: Bool) throws -> SinkKind {
        if let format {
            if let kind = Catalog.sinks.first(where: { $0.name == format }) { return kind }
            let names = Catalog.sinks.map(\.name).joined(separator: ", ")
            throw ValidationError("--format \(format): there is no such format; there are \(names)")
        }
        if output == "-" { return onTerminal ? .table : .jsonLines }
        let fileExtension = URL(fileURLWithPath: output).pathExtension.lowercased()
        if let kind = Catalog.sinks.first(where: { $0.fileExtensions.contains(fileExtension) }) { return kind }
        if let existing = FileIdentity(output), !existing.isRegular { return onTerminal ? .table : .jsonLines }
        let known = Catalog.sinks.flatMap(\.fileExtensions).map { "." + $0 }.joined(separator: ", ")
        throw ValidationError("--output \(output): give --format, or a name that ends in one of \(known)")
    }
}

/// Which file a path leads to.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64
    let isRegular: Bool

    /// Nil when there is no such file.
    init?(_ path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        device = UInt64(information.st_dev)
        number = UInt64(information.st_ino)
        isRegular = information.st_mode & S_IFMT == S_IFREG
    }
}
