import Apus
import FoundationEssentials
import SharedOptions
import Synchronization

/// A run over a dataset into a file.
struct DatasetRun: Sendable {
    private let runner: BatchRunner<AnyPredictor>
    private let dataset: any Dataset
    private let output: RunOutput
    private let maximumErrors: Int?

    /// Reserves the output.
    ///
    /// - Throws: ``ApusError`` when the output is an input, cannot be written, or cannot hold the answers.
    init(_ predictor: PredictorObject, _ options: InterfaceOptions, inputs: [String], output path: String) throws {
        dataset = try options.dataset.dataset(
            inputs, decoding: options.preprocessing.decoding, columns: options.further.columns)
        let kind = try Self.kind(of: path, options.rows.format)
        let content = predictor.predictor.content
        guard kind.contents.contains(content) else {
            throw ApusError.usage("format \(kind.name) cannot hold \(content.rawValue)")
        }
        runner = try predictor.runner(options)
        var claims = OutputClaims(model: predictor.name, reading: [], dataset: dataset, isForced: options.writing.force)
        try claims.add(path, as: .rows(kind), option: "output")
        for folder in runner.options.files { claims.add(folder) }
        try claims.check()
        let rows = options.rowOptions(content)
        if OutputFile.isStream(path) {
            guard !options.rows.resume else { throw ApusError.usage("\(path): is not a file, and cannot be resumed") }
            output = RunOutput(streamingTo: path, as: kind, options: rows)
        } else {
            var file = RunOutput(try RunReservation(path: path, resuming: options.rows.resume), as: kind, options: rows)
            file.commits.rowCount = options.rows.commitRows
            output = file
        }
        maximumErrors = options.failures.limit
    }

    /// Predicts the dataset.
    ///
    /// - Parameter observe: Called with the progress of the run.
    func run(_ gracefulStop: GracefulStop, observe: (RunProgress) -> Void) async throws -> RunSummary {
        try await runner.run(over: dataset, into: output, maximumErrors: maximumErrors, gracefulStop: gracefulStop) {
            event in
            switch event {
            case .begun(let progress), .wrote(_, let progress): observe(progress)
            case .writing: break
            }
        }
    }

    /// The kind of sink that a format's name or the end of a path names.
    private static func kind(of path: String, _ format: String?) throws(ApusError) -> SinkKind {
        if let format {
            if let kind = Catalog.sinks.first(where: { $0.name == format }) { return kind }
            let names = Catalog.sinks.map(\.name).joined(separator: ", ")
            throw .usage("format \(format): there is no such format; there are \(names)")
        }
        let fileExtension = URL(fileURLWithPath: path).pathExtension.lowercased()
        if let kind = Catalog.sinks.first(where: { $0.fileExtensions.contains(fileExtension) }) { return kind }
        let known = Catalog.sinks.flatMap(\.fileExtensions).map { "." + $0 }.joined(separator: ", ")
        throw .usage("\(path): give a format, or a name that ends in one of \(known)")
    }
}

/// A run that begins once.
final class PendingRun: Sendable {
    private let pending: Mutex<DatasetRun?>

    init(_ run: DatasetRun) { pending = Mutex(run) }

    /// Predicts the dataset. When this returns, the output is no longer reserved.
    func run(_ gracefulStop: GracefulStop, observe: (RunProgress) -> Void) async throws -> RunSummary {
        let run = pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
        guard let run else { throw InterfaceError.bug("a run began twice") }
        return try await run.run(gracefulStop, observe: observe)
    }
}
