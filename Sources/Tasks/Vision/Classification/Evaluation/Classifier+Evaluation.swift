import Datasets
import Images
import Platform
import Predicting
import Preparation
import Synchronization

extension Classifier {
    /// Predicts every labelled picture of a dataset and compares the answers with the labels.
    ///
    /// ``LabelMatcher`` matches the labels. Records without a label are counted and left out.
    ///
    /// - Parameters:
    ///   - progress: Called after each picture with the progress. The total is known when the dataset can be listed
    ///     ahead.
    ///   - endedEarly: Called with the figures so far when an error or a cancellation ends the evaluation.
    /// - Throws: ``ApusError/usage(_:)`` when a label is not a class, when no record has a label, or when two have the
    ///   same id. These errors come before the first prediction when the dataset can be listed ahead. Otherwise the
    ///   errors of predictions.
    public func evaluate(
        _ dataset: some Dataset, options: EvaluationOptions = EvaluationOptions(),
        progress: (RunProgress) -> Void = { _ in }, endedEarly: (Evaluation) -> Void = { _ in }
    ) async throws -> Evaluation {
        let matcher = LabelMatcher(labels: labels, classCount: classCount)
        let labelled = LabelledRecords(dataset, matcher, skipsUnknownLabels: options.skipsUnknownLabels)
        let survey = dataset.canBeListedAhead ? try await pictures.listing.run { try labelled.check() } : nil
        let total = survey?.count
        if let passedOver = survey?.passedOver, !passedOver.isEmpty {
            session.options.logger.warning("passed over in folders: \(passedOver)")
        }
        var evaluator = Evaluator(labels: labels, binCount: options.binCount, mistakeCount: options.mistakeCount)
        var (done, failed) = (0, 0)
        do {
            for try await record in predictions(over: labelled, batch: options.batch) {
                guard let (label, source) = labelled.takeFirst() else { throw ApusError.bug("an answer to no record") }
                done += 1
                switch record.classification {
                case .failure:
                    evaluator.addFailure()
                    failed += 1
                case .success(let answer):
                    guard label < answer.confidences.count else {
                        if !options.skipsUnknownLabels {
                            throw ApusError.usage(
                                "\(record.id.printable): \(LabelMatcher.Mismatch.unknown(String(label)))")
                        }
                        evaluator.addUnknownLabel()
                        break
                    }
                    if evaluator.add(answer, label: label, id: record.id), options.keepsThumbnails,
                        let thumbnail = try await pictures.thumbnail(of: source)
                    {
                        evaluator.setThumbnail(thumbnail, id: record.id)
                    }
                }
                progress(RunProgress(total: total, succeeded: done - failed, failed: failed, resumed: 0))
            }
        } catch {
            if case ApusError.usage = error { throw error }
            if done > failed { endedEarly(evaluator.evaluation) }
            throw error
        }
        let leftOut = labelled.leftOut
        guard done > 0 || leftOut.unknown > 0 else { throw LabelledRecords.noLabels }
        for _ in 0..<leftOut.unlabelled { evaluator.addUnlabelled() }
        for _ in 0..<leftOut.unknown { evaluator.addUnknownLabel() }
        return evaluator.evaluation
    }

    /// The number of classes of the network; nil unless its output has a fixed shape.
    private var classCount: Int? {
        let graph = session.model.graph
        guard let shape = graph.outputs.first.flatMap({ graph[$0].shape }) else { return nil }
        let extents = shape.dimensions.dropFirst().map(\.value)
        return extents.isEmpty || extents.contains(nil) ? nil : extents.reduce(1) { $0 * ($1 ?? 1) }
    }
}

/// The labelled records of a dataset, kept until their answers arrive.
private final class LabelledRecords: Dataset {
    private struct State {
        var waiting: [(label: Int, source: ImageSource)] = []
        var leftOut = (unlabelled: 0, unknown: 0)
    }

    static let noLabels = ApusError.usage(
        "no record has a label: labels come from class folders, a manifest, or the names of files")

    private let base: any Dataset
    private let matcher: LabelMatcher
    private let skipsUnknownLabels: Bool
    private let state = Mutex(State())

    init(_ base: any Dataset, _ matcher: LabelMatcher, skipsUnknownLabels: Bool) {
        self.base = base
        self.matcher = matcher
        self.skipsUnknownLabels = skipsUnknownLabels
    }

    /// The numbers of records that were left out so far.
    var leftOut: (unlabelled: Int, unknown: Int) { state.withLock { $0.leftOut } }

    /// Lists the dataset once and checks its ids and labels.
    ///
    /// - Returns: The number of records to predict, and the files of folders that are passed over.
    func check() throws(ApusError) -> (count: Int, passedOver: SkippedFiles) {
        var count = 0
        let survey = try base.survey { (record) throws(ApusError) in
            if try self.label(of: record) != nil { count += 1 }
        }
        guard survey.labelledCount > 0 else { throw Self.noLabels }
        return (count, survey.passedOver)
    }

    /// Lists the records whose class is known, and keeps them in their order.
    func records() throws(ApusError) -> RecordListing {
        let listing = try base.records()
        var ids = RecordIDs()
        return RecordListing { [self] () throws(ApusError) -> ImageRecord? in
            while let record = try listing.next() {
                try ids.insert(record.id)
                if let label = try label(of: record) {
                    state.withLock { $0.waiting.append((label, record.source)) }
                    return record
                }
                state.withLock { state in
                    if record.label == nil { state.leftOut.unlabelled += 1 } else { state.leftOut.unknown += 1 }
                }
            }
            return nil
        }
    }

    /// Removes the oldest listed record and returns its class and picture; nil when there is none.
    func takeFirst() -> (label: Int, source: ImageSource)? {
        state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
    }

    private func label(of record: ImageRecord) throws(ApusError) -> Int? {
        guard let label = record.label else { return nil }
        do throws(LabelMatcher.Mismatch) {
            return try matcher.classIndex(of: label)
        } catch {
            if skipsUnknownLabels { return nil }
            throw .usage("\(record.id.printable): \(error)")
        }
    }
}
