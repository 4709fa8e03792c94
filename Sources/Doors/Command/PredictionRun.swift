import Apus
import FoundationEssentials
import Logging
import Measuring
import Platform
import SharedOptions

/// One run of `apus predict`, with its messages to the user.
struct PredictionRun {
    let runner: BatchRunner<AnyPredictor>
    let output: RunOutput
    let failures: FailureOptions
    var progress: ProgressLine
    let logger: Logger
    /// Whether the summary is printed for people.
    let showsSummary: Bool
    /// Writes the command's answer if it includes the summary.
    let answer: (RunSummary) throws -> Void
    /// The page of the run's records; nil when none is wanted.
    var page: PredictionPage?
    /// Writes the page.
    var writePage: (inout PredictionPage) throws -> Void = { _ in }

    /// Predicts every record of a dataset that has no row yet.
    ///
    /// - Throws: ``ExitStatus`` when not every record was predicted; ``ApusError`` and `OutputError`.
    mutating func predict(_ dataset: some Dataset) async throws {
        let gracefulStop = GracefulStop()
        Interruption.beginGracefulWork(stopping: gracefulStop)
        defer { Interruption.endGracefulWork() }
        let summary: RunSummary
        do {
            summary = try await runner.run(
                over: dataset, into: output, maximumErrors: failures.limit, gracefulStop: gracefulStop
            ) { handle($0) }
        } catch ApusError.cancelled where Interruption.hasBegun {
            progress.clear()
            StandardError.write("apus: interrupted while the inputs were listed")
            throw ExitStatus.interrupted
        } catch {
            progress.clear()
            throw error
        }
        progress.clear()
        try answer(summary)
        if var page {
            page.earlierCount = summary.resumed
            self.page = nil
            try writePage(&page)
        }
        if summary.state == .interrupted {
            let total = summary.total.map { " of \($0)" } ?? ""
            let way = output.reservation == nil ? "" : "; go on with: \(Self.resumingCommand)"
            StandardError.write("apus: interrupted after \(summary.done)\(total) pictures\(way)")
            throw ExitStatus.interrupted
        }
        if showsSummary { describe(summary) }
        if summary.state == .stopped {
            let left = summary.total.map { ", \($0 - summary.done) pictures left" } ?? ""
            let way = output.reservation == nil ? "" : "; --resume goes on"
            StandardError.write("apus: stopped after \(counted(summary.failed, "error"))\(left)\(way)")
            throw ExitStatus.stopped
        }
        if summary.failed > 0 { throw ExitStatus.doneWithFailures }
    }

    private mutating func handle(_ event: RunEvent) {
        switch event {
        case .begun(let state):
            progress.begin()
            if state.resumed > 0 { logger.info("going on behind \(counted(state.resumed, "row"))") }
        case .writing: progress.makeRoomForRow()
        case .wrote(let records, let state):
            for record in records {
                page?.add(record)
                if case .failure(let error) = record.answer { logger.debug("\(record.id): \(error)") }
            }
            progress.update(state)
        }
    }

    private func describe(_ summary: RunSummary) {
        let rate = "\(summary.seconds.text(decimals: 2)) s (\(summary.imagesPerSecond.text(decimals: 1)) img/s)"
        let earlier = summary.resumed > 0 ? ", \(summary.resumed.grouped) of them before" : ""
        let dropped = summary.dropped > 0 ? ", \(counted(summary.dropped, "late frame")) dropped" : ""
        StandardError.write(
            "apus: \(counted(summary.succeeded, "picture")) predicted, \(counted(summary.failed, "error"))\(earlier)"
                + "\(dropped), in \(rate)")
        guard logger.logLevel <= .debug || summary.seconds > 10 else { return }
        let shares = summary.stageShares.map { "\($0.name) \(Int(($0.share * 100).rounded())) %" }
        StandardError.write("apus: work: \(shares.joined(separator: ", "))")
        let slowest = summary.slowest.prefix(3).map { "\($0.id) \("\($0.seconds.text(decimals: 3)) s")" }
        if !slowest.isEmpty { StandardError.write("apus: slowest to prepare: \(slowest.joined(separator: ", "))") }
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// The command line with `--resume`, quoted for a shell.
    private static var resumingCommand: String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%")
        var words = CommandLine.arguments.map { word in
            !word.isEmpty && word.allSatisfy(plain.contains)
                ? word : "'" + word.replacing("'", with: "'\\''") + "'"
        }
        if !words.contains("--resume") { words.append("--resume") }
        return words.joined(separator: " ")
    }
}
