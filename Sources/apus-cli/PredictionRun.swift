import Apus
import Foundation
import Logging

/// One run of `apus predict`: rows from the classifier into the sink, and what people are told about it.
struct PredictionRun {
    let dataset: any Dataset
    let total: Int?
    var sink: any Sink
    let failures: FailureOptions
    var progress: ProgressLine
    let logger: Logger
    let isQuiet: Bool

    private var predicted = 0
    private var failed = 0
    private let start = ContinuousClock.now

    init(
        dataset: any Dataset, total: Int?, sink: any Sink, failures: FailureOptions, progress: ProgressLine,
        logger: Logger,
        isQuiet: Bool
    ) {
        self.dataset = dataset
        self.total = total
        self.sink = sink
        self.failures = failures
        self.progress = progress
        self.logger = logger
        self.isQuiet = isQuiet
    }

    /// Predicts every record.
    ///
    /// - Throws: ``ExitStatus`` when not every record was predicted; ``ApusError`` and `OutputError`.
    mutating func predict(_ classifier: Classifier, batch: Int) async throws {
        var isStopped = false
        do {
            isStopped = try await writeRows(classifier, batch: batch)
            try sink.finish()
        } catch  where Interruption.hasBegun {
            progress.clear()
            try sink.finish()
            StandardError.write(
                "apus: interrupted after \(predicted + failed)\(total.map { " of \($0)" } ?? "") pictures")
            throw ExitStatus.interrupted
        } catch OutputError.failed(let name, let message) {
            progress.clear()
            let rows = counted(predicted + failed, "row")
            throw OutputError.failed(name: name, message: "\(message) (\(rows) written before)")
        } catch {
            progress.clear()
            throw error
        }
        progress.clear()
        summarize()
        if isStopped {
            let left = total.map { ", \($0 - predicted - failed) pictures left" } ?? ""
            StandardError.write("apus: stopped after \(counted(failed, "error"))\(left)")
        }
        if failed > 0 { throw ExitStatus.someRecordsFailed }
    }

    /// Whether the run was ended by errors.
    private mutating func writeRows(_ classifier: Classifier, batch: Int) async throws -> Bool {
        var iterator = classifier.predictions(over: dataset, batch: batch).makeAsyncIterator()
        Interruption.beginGracefulWork()
        defer { Interruption.endGracefulWork() }
        while let record = try await iterator.next() {
            progress.makeRoomForRow()
            try sink.write(record)
            switch record.result {
            case .success(let answer):
                if predicted == 0 { checkLabels(classifier.labels, answer) }
                predicted += 1
            case .failure(let error):
                failed += 1
                logger.debug("\(record.id): \(error)")
                if failures.endsRun(after: failed) { return predicted + failed != total }
            }
            progress.update(done: predicted + failed, failed: failed)
        }
        return false
    }

    private func checkLabels(_ labels: Labels?, _ answer: Classification) {
        guard let labels, labels.count != answer.confidences.count else { return }
        progress.clear()
        logger.warning("there are \(labels.count) labels for \(answer.confidences.count) classes")
    }

    private func summarize() {
        guard !isQuiet else { return }
        let seconds = (ContinuousClock.now - start).inSeconds
        let rate = String(format: "%.2f s (%.1f img/s)", seconds, Double(predicted) / max(seconds, 1e-9))
        StandardError.write(
            "apus: \(counted(predicted, "picture")) predicted, \(counted(failed, "error")), in \(rate)")
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
