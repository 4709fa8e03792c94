import CPUBackend
import Graphs
import Inference
import Logging
import Models
import Planning
import Platform

/// The progress of tuning.
public struct TuningProgress: Sendable {
    /// The number of layers that were measured.
    public let done: Int
    /// The number of layers to measure, as far as known.
    public let total: Int
    /// The name of the layer that is measured next.
    public let layer: String
}

extension Model {
    /// Measures the lowerings of every layer that has several, and stores the times, by which sessions choose
    /// lowerings.
    ///
    ///     let report = try await model.tune()
    ///     print(report.totals)
    ///
    /// Before a device is timed, its results are compared with the processor's. A candidate that gives other numbers or
    /// fails is refused and reported. Layers with stored times for the same number of threads and images are not
    /// measured again unless `isRenewing` is true. The times of each layer are stored as soon as they are known, so
    /// cancelling loses none.
    ///
    /// - Parameters:
    ///   - options: The backends and threads that are measured, and the file that ``Session/Options/tuning`` names;
    ///     there is one stream.
    ///   - batch: The number of images in a run, unless the network has a fixed batch. On the processor the choice
    ///     holds for every batch size, so that an image's bits do not depend on it. A device uses the times of the
    ///     nearest measured batch.
    ///   - inputShapes: The shapes of inputs with open extents, by name; a first extent of 1 stands for the batch.
    ///   - isRenewing: Whether layers with stored times are measured again.
    ///   - progress: Called before each layer, on another thread.
    /// - Throws: ``ApusError/usage(_:)`` when input extents other than the batch are open;
    ///   ``ApusError/file(path:message:)`` when the file cannot be written or holds something else;
    ///   ``ApusError/cancelled``; as `Session.init` otherwise.
    public func tune(
        options: Session.Options = Session.Options(), batch: Int = 1, inputShapes: [String: [Int]] = [:],
        isRenewing: Bool = false, progress: (@Sendable (TuningProgress) -> Void)? = nil
    ) async throws(ApusError) -> TuningReport {
        try await tune(
            options: options, batch: batch, inputShapes: inputShapes, isRenewing: isRenewing,
            selection: try BackendSelection(options), progress: progress)
    }

    /// Measures the lowerings of the given backends instead of those in the options.
    package func tune(
        options: Session.Options, batch: Int = 1, inputShapes: [String: [Int]] = [:], isRenewing: Bool = false,
        selection: BackendSelection, progress: (@Sendable (TuningProgress) -> Void)? = nil
    ) async throws(ApusError) -> TuningReport {
        guard options.threads >= 1, batch >= 1 else { throw .usage("measuring needs a thread and an image") }
        let shapes = try self.inputShapes(forBatch: batch, given: inputShapes)
        let cancellation = CancellationFlag()
        let file = TuningFile(options.tuning)
        let selection =
            options.precision == .automatic
            ? try selection.choosingPrecisions(for: self, try file?.read() ?? TuningCache()) : selection
        let work = TuningWork(
            model: self, shapes: shapes, batch: imageCount(ofInputs: shapes),
            backends: selection.backends, threads: options.threads, file: file, isRenewing: isRenewing,
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

/// One tuning of a network.
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
    /// The logger for the message that another process holds the lock.
    let logger: Logger

    func run() throws -> TuningReport {
        guard let workers = ThreadPool(count: threads) else {
            throw ApusError.memory("the system could not start \(threads) threads")
        }
        let kept = try file?.read() ?? TuningCache()
        // Writing nothing detects an unwritable file before anything is measured.
        try file?.add(TuningCache(), waiting: waitForLock)
        // Refused candidates are measured again too.
        var state = State(records: isRenewing ? TuningCache() : kept)
        var layers: [TunableLayer] = []
        for side in sides { layers += try measure(side, workers, &state) }
        return report(layers, state)
    }

    /// The times and refusals so far.
    private struct State {
        var records: TuningCache
        var measuredCount = 0
        var refusals: [TuningReport.Refusal] = []
        var unconfirmed: [TuningReport.Unconfirmed] = []
    }

    /// The backends of the processor, and those that include a device. Each layer is measured on both sides.
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
            // New choices change layouts and thereby layers, so this repeats until there is no new layer.
            if pending.isEmpty { return layers }
            let total = state.measuredCount + pending.count
            let tuner = try LayerTuner(planner: planner, workers: workers, networkByteCount: network.byteCount)
            // A choice that contradicts the expected times is measured again after all others, since other work may
            // have disturbed it.
            var doubtful: [(TunableLayer, TuningCache)] = []
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

    /// Measures a layer again, and keeps a choice that contradicts the expected times only if the second measurement
    /// confirms it.
    private func confirm(
        _ layer: TunableLayer, _ measured: TuningCache, _ tuner: LayerTuner, _ state: inout State
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

    /// Logs once that another process holds the file's lock.
    private func waitForLock(_ count: Int) throws(ApusError) {
        if cancellation.isSet { throw .cancelled }
        guard count == 0, let path = file?.path else { return }
        logger.warning("waiting for another process that writes \(path.printable)")
    }

    private func refusals(
        _ measured: TuningCache, _ layer: TunableLayer, _ side: [any Backend]
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
