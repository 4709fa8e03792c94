import Apus
import ArgumentParser
import FoundationEssentials
import Measuring
import Platform
import SharedOptions

/// `apus tune`: measures candidates and stores the times.
struct TuneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tune",
        abstract: "Measure candidates on this machine and store the times.",
        discussion: """
            EXAMPLES:
              apus tune squeezenet1_1.onnx
              apus tune zoo:resnet50 --threads 2
              apus tune zoo:resnet50 --again --json
              apus tune zoo:resnet50 --backend opencl --batch 64
              apus tune detector.onnx --shape images=1,3,640,640
              apus tune resnet50.onnx --precision auto --calibrate photos/ --tolerance 1e-2
              apus plan zoo:resnet50 --why

            Every kind of layer that several candidates can run is measured with the best few of
            them. The times are stored in a file, by which other commands choose kernels. They hold
            for this processor and this version of the kernels, and for every batch size and number
            of threads; the last measurement of a layer counts. Layers with stored times are not
            measured again. On an OpenCL device the sizes of tiles are measured too, separately for
            each batch size. Candidates whose results differ from the processor's are refused.
            The machine should be idle. A candidate that is faster than expected is measured again
            at the end, and its first time counts only if the second confirms it. An interruption
            keeps the times measured so far.

            With --precision auto and --calibrate, the command chooses the layers that other
            commands compute in bfloat16 when they get --precision auto, or in float16 where the
            processor multiplies that faster and it holds all weights. This needs a processor with
            AVX-512 BF16 or AVX512-FP16, or Arm's BF16 or FP16. The command chooses as many layers
            as it can under two conditions: on these pictures, every output stays within --tolerance
            of float32, and at least the share --minimum-agreement of the pictures keeps its best
            class; of a detector, boxes have at least this mean average precision when those in
            float32 count as marked. The choice is kept for this network in the same file; apus plan
            --precision auto --why gives the reason for each layer.
            """)

    @OptionGroup var network: ModelOptions

    @Option(help: ArgumentHelp("Images per measured run.", valueName: "count"))
    var batch = 1

    @OptionGroup var shapes: ShapeOptions

    @Flag(help: "Measure all layers, even those with stored times.")
    var again = false

    @Flag(help: "Print one JSON document with every candidate.")
    var json = false

    @OptionGroup(title: "Precision") var precision: PrecisionOptions
    @OptionGroup(title: "Dataset") var dataset: DatasetOptions
    @OptionGroup(title: "Preprocessing") var preprocessing: PreprocessingOptions
    @OptionGroup(title: "Execution") var execution: ExecutionOptions
    @OptionGroup(title: "Messages") var logging: LoggingOptions

    func validate() throws {
        try ExecutionOptions.check(batch, "--batch", atMost: 65_536)
        guard precision.calibrate.isEmpty || execution.backends.precision == .automatic else {
            throw ValidationError("--calibrate needs --precision auto")
        }
    }

    func run() async throws {
        let options = try execution.sessionOptions(logger: logging.makeLogger())
        let model = try network.load()
        let status = StatusLine(isQuiet: logging.quiet)
        Interruption.beginGracefulWork()
        defer { Interruption.endGracefulWork() }
        if !precision.calibrate.isEmpty { return try await choosePrecisions(model, options, status) }
        let report: TuningReport
        do {
            report = try await model.tune(
                options: options, batch: batch, inputShapes: shapes.extents, isRenewing: again
            ) { progress in
                status.show("layer \(progress.done + 1) of \(progress.total): \(progress.layer)")
            }
            status.clear()
        } catch  where Interruption.hasBegun {
            status.clear()
            let kept = options.tuning.path.map { "; what was measured is kept in \($0)" } ?? ""
            StandardError.write("apus: interrupted\(kept)")
            throw ExitStatus.interrupted
        } catch {
            status.clear()
            throw error
        }
        if json { return try StandardOutput.write(json: report) }
        try StandardOutput.write(TuningText(report).lines)
    }

    /// Chooses the layers that are computed in 16 bits.
    private func choosePrecisions(_ model: Model, _ options: Session.Options, _ status: StatusLine) async throws {
        let logger = logging.makeLogger()
        let steps = try preprocessing.preprocessing(for: model)
        if steps.isGuessed { PreprocessingOptions.warnOfGuess(model, logger) }
        let report: PrecisionReport
        do {
            defer { status.clear() }
            let inputs = try await model.comparisonInputs(
                from: try dataset.dataset(precision.calibrate, decoding: preprocessing.decoding),
                limit: precision.pictures,
                preprocessing: steps.steps, decoding: preprocessing.decoding
            ).inputs
            report = try await model.choosePrecisions(
                options: options, on: inputs, tolerance: precision.tolerance,
                minimumAgreement: precision.minimumAgreement, progress: { status.show($0.text) })
        } catch  where Interruption.hasBegun {
            StandardError.write("apus: interrupted")
            throw ExitStatus.interrupted
        }
        if json { return try StandardOutput.write(json: report) }
        try StandardOutput.write(PrecisionText(report).lines)
    }
}

/// The text of a tuning report.
private struct TuningText {
    let report: TuningReport

    init(_ report: TuningReport) { self.report = report }

    var lines: [String] {
        var table = TextTable([
            ("layer", .left), ("", .right), ("operator", .left), ("shapes", .left), ("chosen", .left),
            ("measured", .right), ("instead of", .left), ("measured", .right),
        ])
        for layer in report.layers {
            let chosen = layer.candidates[layer.chosen]
            let expected = layer.candidates[0]
            let inputs = layer.inputs.first.map { "\($0)" } ?? "[]"
            let replaced = layer.chosen == 0 ? ["", ""] : [Self.name(expected), Self.time(expected)]
            table.append(
                [
                    layer.name, "× \(layer.count)", layer.operator,
                    "\(inputs) → \(layer.outputs.map { "\($0)" }.joined(separator: ", "))", Self.name(chosen),
                    Self.time(chosen),
                ] + replaced)
        }
        return table.lines() + [""] + unconfirmed + totals + refusals
    }

    /// Choices that a second measurement did not confirm.
    private var unconfirmed: [String] {
        func text(_ gain: Double) -> String { "\(Figure.percent(abs(gain))) \(gain < 0 ? "slower" : "faster")" }
        return report.unconfirmed.map {
            "  doubtful  \($0.backend)/\($0.lowering) for \($0.layer): \(text($0.firstGain)) than \($0.favourite), then "
                + "\(text($0.secondGain)); \($0.favourite) stays. Is the machine busy? Run apus tune again"
        }
    }

    private var refusals: [String] {
        report.refusals.map { "  refused   \($0.backend)/\($0.lowering) for \($0.layer): \($0.reason)" }
    }

    private var totals: [String] {
        let totals = report.totals
        let changed = report.layers.filter { $0.chosen != 0 }.count
        let threads = report.threads == 1 ? "1 thread" : "\(report.threads) threads"
        return [
            "\(report.model): \(report.layers.count) kinds of layers with several candidates, on \(threads)",
            "  measured  \(report.measuredCount) now, \(report.layers.count - report.measuredCount) before",
            "  changed   \(changed), from \(Self.milliseconds(totals.expectedChoice)) to "
                + "\(Self.milliseconds(totals.measuredChoice)) in all these layers",
            "  kept      \(report.file ?? "nowhere")",
        ]
    }

    private static func name(_ candidate: TuningReport.Candidate) -> String {
        "\(candidate.backend)/\(candidate.lowering)" + (candidate.variant.map { " \($0)" } ?? "")
    }

    private static func time(_ candidate: TuningReport.Candidate) -> String {
        candidate.measuredMicroseconds.map { "\($0.text(decimals: 1)) µs" } ?? "not measured"
    }

    private static func milliseconds(_ microseconds: Double) -> String {
        "\((microseconds / 1000).text(decimals: 2)) ms"
    }
}
