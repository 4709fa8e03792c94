import CPUBackend
import Graphs
import Models
import Planning
import Platform
import Synchronization
import Tensors

/// A model that is ready to run, with its plans, rearranged weights, memory and threads.
///
///     let session = try await Session(model, options: .init(threads: 4))
///     let outputs = try await session.predict(["data": pixels])
///
/// Every method may be called from any task, and from many at once: as many runs as ``Options/streams`` says proceed at
/// the same time, and others wait for their turn. Any batch size is accepted; the plan for the extents of the inputs is
/// kept for the next call with the same extents. The output for an image does not depend on its batch, the number of
/// threads or the stream.
///
/// The runs of a task use threads of the session, never Swift's cooperative pool; cancelling the task ends its run at
/// the next layer. Outside of tasks, the calling thread computes.
public final class Session: Sendable {
    /// The model.
    public let model: Model
    /// The options, as given.
    public let options: Options
    /// Why the file of measured times is not used; nil when it is, or when there is none.
    public let tuningProblem: String?

    private let selection: BackendSelection
    private let threadCount: Int
    private let records: TuningCache
    private let faults: DeviceFaults
    private let pool: ResourcePool<ExecutionStream>
    private let packedWeights: PackedWeights
    private let plans = Mutex<PlanCache>(PlanCache())
    private let programs = Mutex<[DeviceLimit: Program]>([:])
    private let isFirstAxisBatch = Mutex<Bool?>(nil)

    /// Starts a session, and plans the network for a batch of one image when its inputs leave nothing but the batch
    /// open and it takes one image.
    ///
    /// - Throws: ``ApusError/backend(name:message:)`` when a backend that was asked for is not available,
    ///   ``ApusError/usage(_:)`` when there is less than one thread or one stream,
    ///   ``ApusError/unsupportedModel(path:message:)`` when no backend can run a node, ``ApusError/memory(_:)``.
    public convenience init(_ model: Model, options: Options = Options()) async throws(ApusError) {
        try await self.init(model, options: options, selection: try BackendSelection(options))
    }

    /// Starts a session on given backends, whatever the options name.
    package init(_ model: Model, options: Options, selection: BackendSelection) async throws(ApusError) {
        guard options.threads >= 1, options.streams >= 1 else {
            throw .usage("a session needs at least one thread and one stream")
        }
        self.model = model
        self.options = options
        let threads = max(1, options.threads / options.streams)
        var records = TuningCache()
        do throws(ApusError) {
            if let file = TuningFile(options.tuning) { records = try file.read() }
            tuningProblem = nil
        } catch {
            tuningProblem = "\(error); layers are chosen by expected times"
        }
        let selection =
            options.precision == .automatic ? try selection.choosingPrecisions(for: model, records) : selection
        self.selection = selection
        self.records = records
        threadCount = threads
        faults = DeviceFaults(isDeviceDemanded: selection.isDeviceDemanded, logger: options.logger)
        if let notice = selection.notice(on: options.precision) { faults.say(notice) }
        if let notice = selection.programNotice { faults.say(notice) }
        var streams: [ExecutionStream] = []
        for number in 0..<options.streams {
            streams.append(
                try ExecutionStream(threadCount: threads, number: number, budget: options.memoryBudget))
        }
        pool = ResourcePool(streams)
        packedWeights = PackedWeights(expecting: model.graph.initializers.values.reduce(0) { $0 + $1.byteCount })
        if let shapes = model.inputShapes(forBatch: 1) {
            do {
                _ = try await plan(forInputShapes: shapes)
            } catch {
                // Where axis 0 is not a batch, the extents come with the inputs.
                if !model.mayTakeOtherRows(than: shapes) { throw error }
            }
        }
    }

    /// Whether records may run as one batch: a network of which it is certain that axis 0 is not a batch gets them one
    /// by one.
    package var takesBatches: Bool {
        if let known = isFirstAxisBatch.withLock({ $0 }) { return known }
        let found = model.reasonAgainstBatch == nil
        isFirstAxisBatch.withLock { $0 = found }
        return found
    }

    /// Runs the network once.
    ///
    /// - Parameter inputs: A tensor for every input, by name. Extents that the network declares as symbols are free.
    /// - Returns: Every output, by name.
    /// - Throws: ``ApusError/usage(_:)`` for a missing, unknown or ill-shaped input; ``ApusError/cancelled`` when the
    ///   task is cancelled; ``ApusError/memory(_:)``.
    public func predict(_ inputs: [String: Tensor]) async throws(ApusError) -> [String: Tensor] {
        var results: [[Tensor]] = []
        for tensors in try runs(of: inputs) { results.append(try await run(tensors)) }
        return try outputs(of: results)
    }

    /// Runs the network once, on the calling thread.
    ///
    /// The thread waits for a free stream and takes part in computing, which saves the time of waking another thread
    /// and of being woken. That serves small networks on threads with nothing else to do, such as that of a capture
    /// loop. A task cannot call this method, since the threads on which Swift runs tasks must not block. A run that has
    /// begun cannot be cancelled. The method has a name of its own, since at the top level of a script Swift prefers
    /// what need not be awaited.
    ///
    /// - Parameter inputs: A tensor for every input, by name. Extents that the network declares as symbols are free.
    /// - Returns: Every output, by name, bit for bit as from a task.
    /// - Throws: ``ApusError/usage(_:)`` for a missing, unknown or ill-shaped input; ``ApusError/memory(_:)``.
    @available(*, noasync, message: "a task awaits its predictions")
    public func predictSynchronously(_ inputs: [String: Tensor]) throws(ApusError) -> [String: Tensor] {
        var results: [[Tensor]] = []
        for tensors in try runs(of: inputs) { results.append(try run(tensors)) }
        return try outputs(of: results)
    }

    /// The maximum number of iterations of all loops of one run together.
    private static let loopIterations = 1_000_000

    /// The plan for a batch of `count` images; for a network whose shapes are not all known before it runs, only the
    /// part that is planned before.
    ///
    /// - Parameter shapes: The extents of inputs that the network leaves open, by name; a first extent of 1 stands for
    ///   the batch.
    /// - Throws: ``ApusError/usage(_:)`` when the inputs leave more than the batch open, or take other extents, and
    ///   when axis 0 of an input that is not given is not a batch but needs several rows.
    public func plan(forBatch count: Int, inputs shapes: [String: [Int]] = [:]) async throws(ApusError)
        -> PlanDescription
    {
        let given = shapes
        let shapes = try model.inputShapes(forBatch: count, given: given)
        do {
            return PlanDescription(
                try await plan(forInputShapes: shapes), inputShapes: shapes, threads: threadCount, model: model,
                precisions: selection.precisionChoice, roundingRefusal: selection.roundingRefusal)
        } catch {
            throw model.openRows(error, shapes, given: given)
        }
    }

    /// The plan for given extents of inputs, by name.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when the inputs leave more than the batch open, or take other extents.
    public func plan(forInputs shapes: [String: [Int]]) async throws(ApusError) -> PlanDescription {
        try await plan(forBatch: 1, inputs: shapes)
    }

    /// The plan for given inputs.
    ///
    /// - Throws: ``ApusError/usage(_:)`` when they are not inputs of the network.
    package func plan(forInputs inputs: [String: Tensor]) async throws(ApusError) -> PlanDescription {
        let tensors = try ordered(inputs)
        let shapes = (try split(tensors)?.first ?? tensors).map(\.shape)
        return PlanDescription(
            try await plan(forInputShapes: shapes), inputShapes: shapes, threads: threadCount, model: model,
            precisions: selection.precisionChoice, roundingRefusal: selection.roundingRefusal)
    }

    /// The precision with what is computed in it, as runs record it.
    package var arithmetic: String { selection.arithmetic(of: options.precision) }

    /// The backends with their devices and versions, by name.
    package var deviceDescriptions: [Catalog.BackendDescription] {
        selection.backends.map { Catalog.BackendDescription(name: $0.name, device: $0.deviceDescription) }
    }

    /// The plan for given extents of every input, in the network's order.
    package func plan(forInputShapes shapes: [[Int]]) async throws(ApusError) -> Executable {
        do {
            let plan = try await faults.recovering(shapes) {
                try await pool.with { stream in
                    try await stream.thread.perform { () throws(PlanningError) in
                        let plan = try self.cachedPlan(shapes)
                        try stream.prepare(for: plan)
                        return plan
                    }
                }
            }
            sayWhatWasMoved(shapes)
            return plan
        } catch {
            throw ApusError(error, model: model.name)
        }
    }

    /// The number of plans that the session has made.
    package var plansMade: Int { plans.withLock(\.insertionCount) }

    /// Notices about failures of a device and what the session did about them, each once. They are also logged; see
    /// ``Options/logger``.
    public var notices: [String] { faults.notices }

    /// The number of rearranged weights that the plans share.
    package var packedWeightCount: Int { packedWeights.count }

    private func cachedPlan(_ shapes: [[Int]]) throws(PlanningError) -> Executable {
        let key = PlanCache.Key(shapes: shapes, limit: faults.limit(for: shapes))
        if let plan = plans.withLock({ $0[key] }) { return plan }
        let planner = planner(key.limit)
        let plan = try planner.executable(model.graph, inputShapes: shapes, packedWeights: packedWeights) {
            program(key.limit, planner)
        }
        plans.withLock { $0[key] = plan }
        return plan
    }

    /// The stages of a network whose shapes are not all known before it runs; all plans share them.
    private func program(_ limit: DeviceLimit, _ planner: Planner) -> Program {
        programs.withLock { programs in
            if let program = programs[limit] { return program }
            let program = Program(model.graph, planner: planner, packedWeights: packedWeights)
            programs[limit] = program
            return program
        }
    }

    private func planner(_ limit: DeviceLimit) -> Planner {
        var division = BatchDivision.fitting(cacheByteCount: ProcessorInformation.cacheByteCount(threads: threadCount))
        var deviceMemoryLimit: Int?
        switch limit {
        case .images(let count): division = .images(count)
        case .memory(let images, let halvings):
            if let images { division = .images(images) }
            deviceMemoryLimit = selection.device.map { $0.memoryByteCount >> halvings }
        case .unlimited, .processor: break
        }
        return Planner(
            backends: limit == .processor ? selection.processorBackends : selection.backends, threadCount: threadCount,
            division: division, records: records, deviceUse: selection.deviceUse, deviceMemoryLimit: deviceMemoryLimit)
    }

    /// Says which layers of a plan that is ready or has run are too large for the device.
    private func sayWhatWasMoved(_ shapes: [[Int]]) {
        let limit = faults.limit(for: shapes)
        guard case .memory = limit,
            case .plan(let plan)? = plans.withLock({ $0[PlanCache.Key(shapes: shapes, limit: limit)] })
        else { return }
        let moved = plan.layers.filter { $0.deviceReason != nil }.map(\.name)
        faults.say(moved: moved, of: plan.layers.count, batch: shapes.first?.first ?? 1)
    }

    /// The inputs of every run, in the network's order: image by image for a network whose batch is fixed to 1.
    private func runs(of inputs: [String: Tensor]) throws(ApusError) -> [[Tensor]] {
        let tensors = try ordered(inputs)
        return try split(tensors) ?? [tensors]
    }

    /// The outputs of all runs, by name.
    private func outputs(of results: [[Tensor]]) throws(ApusError) -> [String: Tensor] {
        var tensors = results[0]
        if results.count > 1 {
            do {
                tensors = try tensors.indices.map { index in try Tensor(stacking: results.map { $0[index] }) }
            } catch {
                throw ApusError(error, model: model.name)
            }
        }
        // A network may list one value twice among its outputs.
        return Dictionary(
            zip(model.graph.outputs.map { model.graph[$0].name }, tensors), uniquingKeysWith: { first, _ in first })
    }

    private func run(_ tensors: [Tensor]) async throws(ApusError) -> [Tensor] {
        let run = SessionRun(tensors, options)
        do {
            let result = try await withTaskCancellationHandler {
                try await faults.recovering(run.shapes) {
                    try await pool.with { stream in
                        try await stream.thread.perform { () throws(PlanningError) in
                            try self.perform(run, on: stream)
                        }
                    }
                }
            } onCancel: {
                run.cancellation.set()
            }
            return finish(run, result)
        } catch {
            throw ApusError(error, model: model.name)
        }
    }

    /// Runs the network on the calling thread.
    private func run(_ tensors: [Tensor]) throws(ApusError) -> [Tensor] {
        let run = SessionRun(tensors, options)
        do {
            return finish(run, try faults.recovering(run.shapes) { try pool.with { try perform(run, on: $0) } })
        } catch {
            throw ApusError(error, model: model.name)
        }
    }

    private func perform(
        _ run: SessionRun, on stream: ExecutionStream
    ) throws(PlanningError) -> ExecutionStream.Result {
        if run.cancellation.isSet { throw .cancelled }
        return try stream.run(
            try cachedPlan(run.shapes), inputs: run.inputs, cancellation: run.cancellation,
            loops: LoopLimits(iterations: Self.loopIterations, duration: options.loopDuration), profiler: run.profiler)
    }

    private func finish(_ run: SessionRun, _ result: ExecutionStream.Result) -> [Tensor] {
        sayWhatWasMoved(run.shapes)
        if let profiler = run.profiler, let recording = result.recording {
            profiler.add(
                recording, model: model.name, images: model.imageCount(ofInputs: run.shapes), asked: run.start,
                answered: MonotonicTime.now)
        }
        return result.outputs
    }
}

/// The inputs and the state of one execution.
private struct SessionRun: Sendable {
    let inputs: [Tensor]
    let shapes: [[Int]]
    let cancellation = CancellationFlag()
    /// Nil when nothing records.
    let profiler: Profiler?
    let start: Int64

    init(_ inputs: [Tensor], _ options: Session.Options) {
        self.inputs = inputs
        shapes = inputs.map(\.shape)
        profiler = options.profiler.flatMap { $0.isRecording ? $0 : nil }
        start = profiler == nil ? 0 : MonotonicTime.now
    }
}
