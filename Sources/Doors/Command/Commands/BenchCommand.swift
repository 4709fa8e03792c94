import Apus
import ArgumentParser
import Logging
import Measuring
import SharedOptions

/// `apus bench`: how fast one model runs.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure latency and throughput of a model.",
        discussion: """
            EXAMPLES:
              apus bench squeezenet1_1.onnx
              apus bench zoo:resnet50 --batch 1,8,32 --threads 1,2
              apus bench zoo:resnet50 --backend openblas --time 10
              apus bench zoo:resnet50 --threads 8 --streams 1,2,8
              apus bench detector.onnx --shape images=1,3,640,640
              apus bench squeezenet1_1.onnx --profile
              apus bench squeezenet1_1.onnx --trace run.json
              apus bench squeezenet1_1.onnx --batch 1,8 --report report.html
              apus bench squeezenet1_1.onnx --json | jq .results[0].latency.p50

            Every combination of batches, threads and streams is measured separately. It first
            runs until times are stable (the medians of the last three windows lie within 10 %)
            or --warm-up is over, then for --time seconds. Inputs are random numbers, the same
            for the same --seed; they say nothing about accuracy. Percentiles are interpolated
            linearly; sd is the standard deviation.

            The machine's limits are measured first: multiply-adds in registers (GFLOP/s, each
            counted as two operations) and reading from memory outside the caches. --profile
            adds recorded runs and compares every layer with the limit that binds it. More than
            100 % is possible when values come from a cache, or when a kernel such as Winograd's
            makes fewer multiply-adds than the operator's definition. On an OpenCL device the
            driver reports the times of kernels. Nothing else should run on the machine; a
            warning follows when times scatter.
            """)

    @OptionGroup var network: ModelOptions

    @Option(
        help: ArgumentHelp("Images per run; separate several by commas.", valueName: "list"),
        transform: CountList.reading("numbers with commas, such as 1,8,32"))
    var batch = CountList([1])

    @OptionGroup var shapes: ShapeOptions
    @OptionGroup var size: InputSizeOptions

    @Option(
        help: ArgumentHelp(
            "Processor threads; separate several by commas (default: one per available processor).",
            valueName: "list"), transform: CountList.reading("numbers with commas, such as 1,8,32"))
    var threads: CountList?

    @Option(
        help: ArgumentHelp("Concurrent runs, which share the threads; separate several by commas.", valueName: "list"),
        transform: CountList.reading("numbers with commas, such as 1,8,32"))
    var streams = CountList([1])

    @Option(help: ArgumentHelp("The time for each combination.", valueName: "seconds"))
    var time = 3.0

    @Option(help: ArgumentHelp("The maximum duration of a warm-up.", valueName: "seconds"))
    var warmUp = 10.0

    @Flag(help: "Print one JSON document.")
    var json = false

    @Option(
        help: ArgumentHelp("Also write a page with charts, as a single HTML file.", valueName: "file"),
        completion: .file()
    )
    var report: String?

    @OptionGroup(title: "Execution") var backends: BackendOptions
    @OptionGroup(title: "Recording") var recording: RecordingOptions
    @OptionGroup(title: "Output") var writing: WritingOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    /// The number of rounds. Their medians show whether the machine's speed changes.
    private static let rounds = 5

    func validate() throws {
        try batch.check("--batch", atMost: 65_536)
        try threads?.check("--threads", atMost: ExecutionOptions.maximumThreads)
        try streams.check("--streams", atMost: ExecutionOptions.maximumThreads)
        try ReportFile.check(report)
        guard time > 0, time <= 86_400 else { throw ValidationError("--time must be more than 0 and at most 86400") }
        guard warmUp >= 0, warmUp <= 86_400 else { throw ValidationError("--warm-up must be from 0 to 86400") }
    }

    private struct Document: Encodable {
        let results: [BenchmarkResult]
    }

    func run() async throws {
        let logger = logging.makeLogger()
        var claims = writing.claims(model: network.model, reading: [backends.tuningFile])
        if let report { try claims.add(report, as: .page(.benchmark), option: "--report") }
        try recording.add(to: &claims, of: "bench")
        let trace = try recording.makeTrace(of: "bench")
        let status = StatusLine(isQuiet: logging.quiet)
        var results: [BenchmarkResult] = []
        var read: Model?
        Interruption.beginGracefulWork()
        defer { Interruption.endGracefulWork() }
        do {
            defer { status.clear() }
            try await Trace.closing(trace, logger) {
                status.show("reading \(network.model)")
                let start = ContinuousClock.now
                let model = try size.applied(to: network.load())
                read = model
                let loadSeconds = (ContinuousClock.now - start).inSeconds
                try await measure(model, loadSeconds, trace, logger, status) { results.append($0) }
            }
        } catch {
            // Results are printed even if an error or a signal ends the command.
            if let read, !results.isEmpty { try answer(results, of: read, claims) }
            guard Interruption.hasBegun else { throw error }
            StandardError.write("apus: interrupted")
            throw ExitStatus.interrupted
        }
        if let read { try answer(results, of: read, claims) }
    }

    /// Prints the results first, because writing the page may fail.
    private func answer(_ results: [BenchmarkResult], of model: Model, _ claims: OutputClaims) throws {
        if json {
            try StandardOutput.write(json: Document(results: results))
        } else {
            try StandardOutput.write(BenchmarkText(results).lines)
        }
        guard let report else { return }
        try claims.confirm(report)
        try BenchmarkPage(results, of: model).write(to: report)
    }

    /// The distinct batch sizes that the model accepts.
    private func batches(_ model: Model, _ logger: Logger) -> [Int] {
        var batches: [Int] = []
        for count in batch.counts {
            let images = model.imageCount(askedFor: count, given: shapes.extents)
            if !batches.contains(images) { batches.append(images) }
            if images != count { logger.warning("\(model.name) takes \(images) images in every run, not \(count)") }
        }
        return batches
    }

    /// Measures every combination.
    ///
    /// - Parameter finish: Called with each result, and with the partial result when an error or a cancellation ends
    ///   the measurement.
    private func measure(
        _ model: Model, _ loadSeconds: Double, _ trace: Trace?, _ logger: Logger, _ status: StatusLine,
        finish: (BenchmarkResult) -> Void
    ) async throws(ApusError) {
        status.show("measuring the machine")
        let device = try await MachineLimits.measured(
            deviceOf: backends.sessionOptions(threads: nil, logger: logger))
        for threads in (threads ?? CountList([Session.Options.availableThreads])).counts {
            status.show("measuring the machine")
            let limits = try await MachineLimits.measured(threads: threads)
            for streams in streams.counts {
                let session = try backends.sessionOptions(threads: threads, streams: streams, logger: logger)
                for batch in batches(model, logger) {
                    let counts = [(threads, "thread"), (streams, "stream")].map { count, noun -> String in
                        "\(count) \(noun)\(count == 1 ? "" : "s")"
                    }
                    let name = "batch \(batch), \(counts.joined(separator: ", "))"
                    let inputs = try model.seededInputs(batch: batch, seed: network.seed, shapes: shapes.extents)
                    let options = Benchmark.Options(
                        name: name, batch: batch, session: session, inputs: inputs, limits: limits,
                        deviceLimits: device)
                    status.show("\(name): planning")
                    let benchmark = try await Benchmark(model, options: options, loadSeconds: loadSeconds, trace: trace)
                    do throws(ApusError) {
                        try await measure(benchmark) { status.show("\(name): \($0)") }
                    } catch {
                        if benchmark.result.latency != nil { finish(benchmark.result) }
                        throw error
                    }
                    finish(benchmark.result)
                }
            }
        }
    }

    private func measure(_ benchmark: Benchmark, _ show: (String) -> Void) async throws(ApusError) {
        show("warming up")
        try await benchmark.warmUp(limit: .seconds(warmUp))
        for round in 0..<Self.rounds {
            show("round \(round + 1) of \(Self.rounds)")
            try await benchmark.measure(for: .seconds(time / Double(Self.rounds)))
        }
        guard recording.profile || report != nil else { return }
        show("timing the layers")
        try await benchmark.profile(for: .seconds(time / 2))
    }
}
