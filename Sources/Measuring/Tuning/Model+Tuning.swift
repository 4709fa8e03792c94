import CPUBackend
import Graphs
import Inference
import Logging
import Planning
import Platform

/// How far measuring has come.
public struct TuningProgress: Sendable {
    /// The layers that were measured.
    public let done: Int
    /// All layers to be measured, as far as known.
    public let total: Int
    /// The layer that is measured next.
    public let layer: String
}

extension Model {
    /// Measures the lowerings of every layer that has several, and keeps the times for sessions to choose by.
    ///
    ///     let report = try await model.tune()
    ///     print(report.totals)
    ///
    /// What a device computes is compared with what the processor computes before it is timed; a candidate that gives
    /// other numbers, or fails, is refused from then on, and reported. Layers whose times are kept already, for as many
    /// threads and images, are not measured again unless that is asked for. Every layer's times are kept as soon as they
    /// are known, so that cancelling loses none.
    ///
    /// - Parameters:
    ///   - options: The backends and threads that are measured, and the file that ``Session/Options/tuning`` names;
    ///     there is one stream.
    ///   - batch: The images that are computed together, unless the network is fixed to another number. Whatever it is, the
    ///     choice on the processor holds for every batch size, so that an image's bits are the same in all; a device takes
    ///     the times of the nearest batch measured.
    ///   - inputShapes: The extents of inputs that the network leaves open, by name; a first extent of 1 stands for the batch.
    ///   - isRenewing: Whether layers are measured that were measured before.
    ///   - progress: Called before each layer, on another thread.
    /// - Throws: ``ApusError/usage(_:)`` when the inputs leave more than the batch open; ``ApusError/file(path:message:)``
    ///   when the file cannot be written or holds something else; ``ApusError/cancelled``; as `Session.init` otherwise.
    public func tune(
        options: Session.Options = Session.Options(), batch: Int = 1, inputShapes: [String: [Int]] = [:],
        isRenewing: Bool = false, progress: (@Sendable (TuningProgress) -> Void)? = nil
    ) async throws(ApusError) -> TuningReport {
        try await tune(
            options: options, batch: batch, inputShapes: inputShapes, isRenewing: isRenewing,
            selection: try BackendSelection(options), progress: progress)
    }

    /// Measures the lowerings of given backends, whatever the options name.
    package func tune(
        options: Session.Options, batch: Int = 1, inputShapes: [String: [Int]] = [:], isRenewing: Bool = false,
        selection: BackendSelection, progress: (@Sendable (TuningProgress) -> Void)? = nil
    ) async throws(ApusError) -> TuningReport {
        guard options.threads >= 1, batch >= 1 else { throw .usage("measuring needs a thread and an image") }
        let shapes = try self.inputShapes(forBatch: batch, given: inputShapes)
        let cancellation = CancellationFlag()
        let work = TuningWork(
            model: self, shapes: shapes, batch: imageCount(ofInputs: shapes),
            backends: selection.backends, threads: options.threads, file: TuningFile(options.tuning),
            isRenewing: isRenewing,
            progress: progress, cancellation: cancellation, logger: options.logger)
        do {
            let executor = try BlockingExecutor(name: "apus-tuning", role: .tasks(threadCount: 1))
            return try await withTaskCancellationHandler {
                try await executor.run { try work.run() }
            } onCancel: {
                cancellation.set()
            }
        } catch {
            throw ApusError(error, model: name)
        }
    }
}

/// One measuring of a network.
private struct TuningWork: Sendable {
    let model: Model
    let shapes: [[Int]]
    let batch: Int
    let backends: [any Backend]
    let threads: Int
    let file: TuningFile?
    let isRenewing: Bool
    let progress: (@Sendable (TuningProgress) -> Void)?
    let cancellation: CancellationFlag
    /// Where it is said that a lock is waited for.
    let logger: Logger

    func run() throws -> TuningReport {
        guard let workers = ThreadPool(count: threads) else {
            throw ApusError.memory("the system could not start \(threads) threads")
        }
        let kept = try file?.read() ?? TuningRecords()
        // A file that cannot be written is found out before anything is measured.
        try file?.add(TuningRecords(), waiting: waitForLock)
        // What was refused is measured again too.
        var state = State(records: isRenewing ? TuningRecords() : kept)
        var layers: [TunableLayer] = []
        for side in sides { layers += try measure(side, workers, &state) }
        return report(layers, state)
    }

    /// What is known so far.
    private struct State {
        var records: TuningRecords
        var measuredCount = 0
        var refusals: [TuningReport.Refusal] = []
        var unconfirmed: [TuningReport.Unconfirmed] = []
    }

    /// The backends of the processor, and those with a device that runs what it can: each layer is measured on both.
    private var sides: [[any Backend]] {
        let processor = backends.filter { $0.device == nil }
        return processor.count == backends.count ? [backends] : [processor, backends]
    }

    /// Measures the layers as one side runs them.
    private func measure(
        _ side: [any Backend], _ workers: ThreadPool, _ state: inout State
    ) throws -> [TunableLayer] {
        let packedWeights = PackedWeights()
        var done: Set<LayerSignature> = []
        while true {
            if cancellation.isSet { throw PlanningError.cancelled }
            let planner = Planner(
                backends: side, threadCount: threads, records: state.records, deviceUse: .wherePossible)
            let network = try planner.tunableLayers(
                model.graph, inputShapes: shapes, packedWeights: packedWeights, comparesSides: sides.count > 1)
            let isOnDevice = side.contains { $0.device != nil }
            let layers = network.layers.filter { $0.isOnDevice == isOnDevice }
            let pending = layers.filter { layer in
                !done.contains(layer.signature) && (isRenewing || !layer.isMeasured(threads: threads, images: batch))
            }
            // Choices change layouts, and with them layers: until nothing is new.
            if pending.isEmpty { return layers }
            let total = state.measuredCount + pending.count
            let tuner = try LayerTuner(planner: planner, workers: workers, networkByteCount: network.byteCount)
            // What contradicts the expected times is measured again when all others have been: something else may have used
            // the machine.
            var doubtful: [(TunableLayer, TuningRecords)] = []
            for layer in pending {
                progress?(TuningProgress(done: state.measuredCount, total: total, layer: layer.name))
                let measured = try tuner.measure(layer, images: batch, cancellation: cancellation)
                try file?.add(measured, waiting: waitForLock)
                if layer.replacement(by: measured) != nil { doubtful.append((layer, measured)) }
                state.records.merge(measured)
                state.refusals += refusals(measured, layer, side)
                done.insert(layer.signature)
                state.measuredCount += 1
            }
            for (layer, measured) in doubtful {
                progress?(TuningProgress(done: state.measuredCount - 1, total: total, layer: "\(layer.name), again"))
                try confirm(layer, measured, tuner, &state)
            }
        }
    }

    /// Measures a layer once more, and keeps a choice that contradicts the expected times only where it is made again.
    private func confirm(
        _ layer: TunableLayer, _ measured: TuningRecords, _ tuner: LayerTuner, _ state: inout State
    ) throws {
        let again = try tuner.measure(layer, images: batch, cancellation: cancellation)
        let (records, isConfirmed) = layer.confirmed(measured, again)
        try file?.add(records, waiting: waitForLock)
        state.records.merge(records)
        if isConfirmed { return }
        guard let replacement = layer.replacement(by: measured) else { return }
        state.unconfirmed.append(
            TuningReport.Unconfirmed(
                layer: layer.name, backend: replacement.backend, lowering: replacement.way,
                favourite: replacement.favourite, firstGain: replacement.gain,
                secondGain: layer.gain(of: replacement.backend, replacement.way, by: again)))
    }

    /// Says once that the file's lock is waited for.
    private func waitForLock(_ count: Int) throws(ApusError) {
        if cancellation.isSet { throw .cancelled }
        guard count == 0, let path = file?.path else { return }
        logger.warning("waiting for another process that writes \(path.printable)")
    }

    private func refusals(
        _ measured: TuningRecords, _ layer: TunableLayer, _ side: [any Backend]
    ) -> [TuningReport.Refusal] {
        measured.refusals.map { refusal in
            TuningReport.Refusal(
                layer: layer.name, backend: side.first { $0.measurementKey == refusal.key }?.name ?? "",
                lowering: refusal.way, reason: refusal.reason)
        }.sorted { $0.lowering < $1.lowering }
    }

    private func report(_ layers: [TunableLayer], _ state: State) -> TuningReport {
        TuningReport(
            model: model.name, threads: threads, batch: batch, file: file?.path, measuredCount: state.measuredCount,
            layers: layers.map(TuningReport.Layer.init), refusals: state.refusals, unconfirmed: state.unconfirmed)
    }
}
