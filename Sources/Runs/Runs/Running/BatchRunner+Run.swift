import Datasets
import Images
import Inference
import Models
import Platform
import Predicting

extension BatchRunner {
    /// Predicts a dataset and writes one row per record to an output. Continues an earlier run if the output's
    /// reservation found one.
    ///
    ///     let reservation = try RunReservation(path: "results.jsonl", resuming: true)
    ///     let summary = try await runner.run(over: .imageFolder("photos"), into: .init(reservation, as: .jsonLines))
    ///
    /// However the process ends, each record has at most one committed row. The output of a resumed run equals that of
    /// an uninterrupted one: byte for byte, for a database row by row, and without order as a set of rows. A finished
    /// output is compared with its manifest and stays unchanged.
    ///
    /// - Parameters:
    ///   - maximumErrors: The run ends early when it adds more error rows; nil for any number. Those of an earlier run
    ///     that it continues do not count.
    ///   - gracefulStop: Ends the run when it is asked to stop. Records in flight are finished and committed.
    ///   - observe: Called with the run's progress.
    /// - Throws: ``ApusError/usage(_:)`` when two records have the same id, or when the earlier run had another model,
    ///   other options or another list; the message names the differences. ``ApusError/file(path:message:)`` when the
    ///   earlier output has changed; `OutputError` when rows cannot be written; ``ApusError`` when the network cannot
    ///   run at all; `CancellationError`. Rows that are already written stay.
    public func run(
        over dataset: some Dataset, into output: RunOutput, maximumErrors: Int? = nil,
        gracefulStop: GracefulStop = GracefulStop(),
        observe: (RunEvent) -> Void = { _ in }
    ) async throws -> RunSummary {
        // A request to stop also ends reads that wait for pipes.
        try await GracefulStop.$current.withValue(gracefulStop) {
            try await write(
                dataset, into: output, maximumErrors: maximumErrors, gracefulStop: gracefulStop, observe: observe)
        }
    }

    private func write(
        _ dataset: some Dataset, into output: RunOutput, maximumErrors: Int?, gracefulStop: GracefulStop,
        observe: (RunEvent) -> Void
    ) async throws -> RunSummary {
        guard output.kind.contents.contains(taskPredictor.content) else {
            throw ApusError.usage(
                "output of the form \(output.kind.name) cannot hold \(taskPredictor.content.rawValue)")
        }
        let times = StageTimes(taskPredictor.session.options.profiler)
        let survey = try await taskPredictor.pictures.listing.run { [options] in
            try RunSurvey(dataset, shard: options.shard, output: output)
        }
        let listed = ListedDataset(dataset, survey?.list, survey?.listed)
        func passedOver() -> SkippedFiles { survey?.passedOver ?? listed.passedOver }
        func warnOfPassedOver() {
            guard !passedOver().isEmpty else { return }
            taskPredictor.session.options.logger.warning("passed over in folders: \(passedOver())")
        }
        if survey != nil { warnOfPassedOver() }
        let identity = await identity(survey, output)
        var manifest = try manifest(identity, survey, output)
        if manifest.state == .finished {
            return summary(manifest.rows, manifest, resumed: manifest.rows, passedOver(), times, .now)
        }
        if let path = output.path, let warning = RunMerge.obstacle(to: manifest, at: path) {
            taskPredictor.session.options.logger.warning("\(warning)")
        }
        let writer = try await RunWriter(
            output.kind, target: target(output, survey, identity), reservation: output.reservation,
            manifest: manifest, policy: output.commits, times: times)
        let resumed = await writer.rows
        var written = WrittenRows(rows: resumed, resumed: resumed, total: manifest.total)
        observe(.begun(written.progress))
        let start = ContinuousClock.now
        do {
            let records = RecordBatches(
                listed, options, on: taskPredictor.pictures.listing, earlier: resumed, output: output.path,
                gracefulStop: gracefulStop,
                checksIDs: survey == nil)
            let batches = InterruptibleBatches(self.batches(records, times: times), gracefulStop)
            try await write(batches, to: writer, maximumErrors: maximumErrors, counting: &written, observe: observe)
            let (count, isCut) = (written.rows.finished.count, written.isCut || gracefulStop.isStopped)
            let isComplete = manifest.total.map { $0 == count } ?? !isCut
            manifest.state = isComplete ? .finished : isCut && !written.isCut ? .interrupted : .stopped
            try await writer.finish(manifest.state)
            if survey == nil { warnOfPassedOver() }
        } catch OutputError.failed(let name, let message) {
            await writer.salvage()
            let count = written.rows.finished.count
            throw OutputError.failed(
                name: name, message: "\(message) (\(count) \(count == 1 ? "row" : "rows") written before)")
        } catch {
            await writer.salvage()
            throw error
        }
        return summary(
            written.rows, manifest, resumed: resumed, dropped: written.droppedCount, passedOver(), times, start)
    }

    /// Writes the rows of all batches, up to the first error beyond `maximumErrors`.
    private func write(
        _ batches: some AsyncSequence<[PredictionRecord<Predictor.Answer>], any Error>, to writer: RunWriter,
        maximumErrors: Int?,
        counting written: inout WrittenRows, observe: (RunEvent) -> Void
    ) async throws {
        var follower = options.following?.makeFollower()
        for try await batch in batches {
            let errors = maximumErrors.map { $0 - (written.rows.failed - written.resumed.failed) }
            let (typed, isLast) = batch.cut(behindError: errors)
            var (records, isCut) = (typed.map { $0.map { .success(core.erased($0)) } }, isLast)
            if var following = follower {
                for index in records.indices {
                    records[index].answer = records[index].answer.map { following.followed($0) }
                }
                follower = following
            }
            for files in options.files {
                // A file that cannot be written makes an error of its row.
                let counted = try await files.write(records, on: taskPredictor.pictures.executor).cut(
                    behindError: errors)
                (records, isCut) = (counted.records, counted.isLast || isCut)
            }
            observe(.writing)
            try await writer.write(records)
            written.add(records)
            observe(.wrote(records, written.progress))
            if isCut {
                written.isCut = true
                return
            }
        }
    }

    /// The manifest of the run, or that of the earlier run that it continues.
    ///
    /// - Throws: When the earlier run differs from this one, or its output has changed.
    private func manifest(
        _ identity: RunIdentity, _ survey: RunSurvey?, _ output: RunOutput
    ) throws(ApusError) -> RunManifest {
        if let earlier = output.reservation?.earlier {
            let differences = identity.differences(from: earlier.identity)
            guard differences.isEmpty else {
                let path = output.path ?? ""
                throw .usage("\(path): the run to resume differs: \(differences.joined(separator: "; "))")
            }
            try check(earlier, survey, output)
            return earlier
        }
        var manifest = RunManifest(format: output.kind.name, identity: identity, total: survey?.count)
        for description in taskPredictor.sessions.flatMap(\.deviceDescriptions).map({ "\($0.name): \($0.device)" })
        where !manifest.devices.contains(description) {
            manifest.devices.append(description)
        }
        return manifest
    }

    /// What the sink must know of the run.
    private func target(_ output: RunOutput, _ survey: RunSurvey?, _ identity: RunIdentity) -> SinkTarget {
        var target = SinkTarget(path: output.path, options: output.options)
        target.idWidth = survey?.idWidth ?? 0
        target.scoreShape = taskPredictor.rowShape
        target.scoreType = taskPredictor.rowElementType
        target.classCount = taskPredictor.labels?.count
        target.options.content = taskPredictor.content
        target.options.hasCorners = taskPredictor.hasCorners
        target.categoryIDs = taskPredictor.categoryIDs
        target.identity = identity
        target.calls = output.calls
        return target
    }

    /// Refuses an earlier run with another number of records than the list, and a finished one whose output has
    /// changed.
    private func check(_ earlier: RunManifest, _ survey: RunSurvey?, _ output: RunOutput) throws(ApusError) {
        let path = output.path ?? ""
        guard earlier.total == survey?.count else {
            throw .file(path: RunManifest.path(of: path), message: "has another number of records than the list")
        }
        guard earlier.state == .finished else { return }
        do {
            try earlier.verify(output: path)
        } catch {
            guard case .file(let name, let message) = error else { throw error }
            throw .file(
                path: name,
                message:
                    "\(message); put the file of its run back, or remove it with \(RunManifest.path(of: path)) and run again"
            )
        }
    }

    private func summary(
        _ rows: RunRows, _ manifest: RunManifest, resumed: RunRows, dropped: Int = 0, _ passedOver: SkippedFiles,
        _ times: StageTimes, _ start: ContinuousClock.Instant
    ) -> RunSummary {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let done = rows.finished.count - resumed.finished.count
        return RunSummary(
            state: manifest.state, total: manifest.total, succeeded: rows.succeeded, failed: rows.failed,
            resumed: resumed.finished.count, dropped: dropped, passedOver: passedOver.counts, seconds: seconds,
            imagesPerSecond: Double(done) / max(seconds, 1e-9),
            stageSeconds: times.seconds, slowest: times.slowest)
    }

    /// The model, options and list on which the rows of a run depend.
    private func identity(_ survey: RunSurvey?, _ output: RunOutput) async -> RunIdentity {
        let session = taskPredictor.session
        var settings = [
            "top": "\(output.options.top)", "min-confidence": "\(output.options.minimumConfidence)",
            "format": output.kind.name, "order": options.isOrdered ? "kept" : "free",
            "backends": session.options.backends.isEmpty
                ? "auto" : session.options.backends.map(\.rawValue).joined(separator: ","),
            "labels": taskPredictor.labels.map(\.fingerprint) ?? "none",
        ]
        settings.merge(taskPredictor.answerSettings) { $1 }
        if !taskPredictor.pictures.decodingOptions.acceptsDamage { settings["damaged"] = "refuse" }
        for files in options.files {
            if let key = files.key { settings[key] = "written" }
        }
        if output.options.maskForm != .rle { settings["mask form"] = output.options.maskForm.rawValue }
        if let following = options.following { settings["tracking"] = "\(following)" }
        settings[RunIdentity.instructions] = Catalog.instructions(computingIn: session.options.precision)
        if session.options.precision != .f32 { settings["precision"] = session.arithmetic }
        for (position, session) in taskPredictor.sessions.enumerated() {
            if position > 0, session.arithmetic != taskPredictor.session.arithmetic {
                settings["precision of stage \(position + 1)"] = session.arithmetic
            }
            guard let plan = try? await session.plan(forBatch: 1) else { continue }
            var hash = StableHash()
            for layer in plan.layers { hash.combine("\(layer.name) \(layer.backend)/\(layer.lowering)") }
            settings[position == 0 ? "chosen lowerings" : "chosen lowerings of stage \(position + 1)"] = hash.text
        }
        if let limit = options.timeout { settings["timeout"] = "\(limit / .seconds(1))" }
        return RunIdentity(
            model: session.model.name, modelFingerprint: session.model.fingerprint, options: settings,
            listCount: survey?.listCount, listFingerprint: survey?.fingerprint,
            shard: options.shard.map { "\($0)" })
    }
}

/// The rows that a run has written.
private struct WrittenRows {
    var rows: RunRows
    /// Those of the earlier run.
    let resumed: RunRows
    /// The number of records of the run; nil when not known in advance.
    let total: Int?
    var droppedCount = 0
    /// Whether the run ended early because of its errors.
    var isCut = false

    mutating func add(_ records: [PredictionRecord<ImageAnswer>]) {
        for record in records {
            rows.add(record)
            droppedCount += record.droppedBefore
        }
    }

    var progress: RunProgress {
        RunProgress(total: total, succeeded: rows.succeeded, failed: rows.failed, resumed: resumed.finished.count)
    }
}

extension Array {
    /// The records up to and including the first error beyond `maximum`, and whether there is such an error.
    fileprivate func cut<Answer>(
        behindError maximum: Int?
    ) -> (records: [PredictionRecord<Answer>], isLast: Bool) where Element == PredictionRecord<Answer> {
        guard let maximum else { return (self, false) }
        var count = 0
        for (index, record) in enumerated() {
            if case .failure = record.answer { count += 1 }
            if count > maximum { return (Array(self[...index]), true) }
        }
        return (self, false)
    }
}
