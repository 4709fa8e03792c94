import Tensors

/// Records what an execution does. The execution's thread calls it, and within a step the threads of the pool, each of
/// which writes only to its own memory.
package final class TimelineRecorder: StepRecorder, @unchecked Sendable {
    /// The work of one thread within steps. Only that thread writes it while a step runs.
    private struct Track {
        var slices: UnsafeMutablePointer<ExecutionTimeline.Slice>
        var count = 0
    }

    private let threadCount: Int
    private let keepsSlices: Bool
    /// When each thread worked on the present job.
    private let spans: UnsafeMutablePointer<WorkSpan>
    private let tracks: UnsafeMutablePointer<Track>
    /// Nanoseconds by thread and layer; each thread writes its own.
    private var totals: UnsafeMutableBufferPointer<Int64> = .allocate(capacity: 0)
    private var layerCount = 0
    private var record: ExecutionTimeline?
    private var finished: [ExecutionTimeline] = []
    /// When the run that is about to begin was requested.
    private var arrival: Int64?
    /// The layer of the step that runs, unless it is a step of strips.
    private var jobLayer: Int?

    /// The maximum slices recorded of one run and thread; further ones are left out.
    private static let maximumSlices = 16_384
    /// The maximum runs recorded between two calls of ``takeRecords()``; loops may run plans more often.
    private static let maximumRecords = 4096

    /// - Parameters:
    ///   - threadCount: The threads of the workers.
    ///   - keepsSlices: Whether records have ``ExecutionTimeline/threads``.
    package init(threadCount: Int, keepsSlices: Bool) {
        self.threadCount = threadCount
        self.keepsSlices = keepsSlices
        spans = .allocate(capacity: threadCount)
        spans.initialize(repeating: WorkSpan(), count: threadCount)
        tracks = .allocate(capacity: threadCount)
        for thread in 0..<threadCount {
            (tracks + thread).initialize(
                to: Track(slices: .allocate(capacity: keepsSlices ? Self.maximumSlices : 0)))
        }
    }

    deinit {
        for thread in 0..<threadCount { tracks[thread].slices.deallocate() }
        tracks.deallocate()
        totals.deallocate()
        spans.deallocate()
    }

    /// Notes that an execution was requested; the time up to its first step belongs to it.
    func arrive() { arrival = MonotonicTime.now }

    /// Notes that an execution begins.
    func begin(_ plan: Plan) {
        var record = ExecutionTimeline(plan: plan)
        layerCount = plan.layers.count
        if totals.count < threadCount * layerCount {
            totals.deallocate()
            totals = .allocate(capacity: threadCount * layerCount)
        }
        totals.initialize(repeating: 0)
        record.host.reserveCapacity(2 * plan.steps.count + 4)
        for thread in 0..<threadCount { tracks[thread].count = 0 }
        record.start = arrival ?? MonotonicTime.now
        arrival = nil
        self.record = record
    }

    /// Notes that the run is over.
    func end() {
        guard var record = record.take(), finished.count < Self.maximumRecords else { return }
        record.end = MonotonicTime.now
        record.threadNanoseconds = (0..<threadCount).map { thread in
            Array(totals[thread * layerCount..<(thread + 1) * layerCount])
        }
        if keepsSlices {
            record.threads = (0..<threadCount).map { thread in
                Array(UnsafeBufferPointer(start: tracks[thread].slices, count: tracks[thread].count))
            }
        }
        finished.append(record)
    }

    /// The runs since the last call.
    package func takeRecords() -> [ExecutionTimeline] {
        defer { finished = [] }
        return finished
    }

    /// Whether records contain what each thread did within steps.
    package var keepsThreads: Bool { keepsSlices }

    /// Records a step that the execution's thread runs.
    func recordStep(_ layer: Int, isChain: Bool, _ body: () throws -> Void) rethrows {
        jobLayer = isChain ? nil : layer
        let start = MonotonicTime.now
        try body()
        add(.step, layer: layer, since: start)
    }

    /// Records what the execution's thread did from `start` until the call.
    func add(_ work: ExecutionTimeline.Work, layer: Int = -1, since start: Int64) {
        record?.host.append(ExecutionTimeline.Slice(work, layer: layer, start: start, end: MonotonicTime.now))
    }

    func add(device slice: ExecutionTimeline.Slice) { record?.device.append(slice) }

    /// Runs a job of the present step and records when each thread worked on it.
    fileprivate func run(
        _ workers: any Workers, _ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction
    ) {
        workers.run(count, context, body, spans)
        guard let layer = jobLayer else { return }
        for thread in 0..<threadCount where spans[thread].pieceCount > 0 {
            let span = spans[thread]
            add(.step, layer: layer, thread: thread, start: span.start, end: span.end)
        }
    }

    /// Records what a thread did for one of the layers that run strip by strip. That thread calls it.
    func recordStage(_ layer: Int, thread: Int, _ body: () -> Void) {
        let start = MonotonicTime.now
        body()
        add(.stage, layer: layer, thread: thread, start: start, end: MonotonicTime.now)
    }

    private func add(_ work: ExecutionTimeline.Work, layer: Int, thread: Int, start: Int64, end: Int64) {
        totals[thread * layerCount + layer] += end - start
        guard keepsSlices, tracks[thread].count < Self.maximumSlices else { return }
        (tracks[thread].slices + tracks[thread].count).initialize(
            to: ExecutionTimeline.Slice(work, layer: layer, start: start, end: end))
        tracks[thread].count += 1
    }
}

/// The threads of an execution that is recorded.
final class RecordingWorkers: Workers {
    private let base: any Workers
    private let recorder: TimelineRecorder

    init(_ base: any Workers, _ recorder: TimelineRecorder) {
        self.base = base
        self.recorder = recorder
    }

    var count: Int { base.count }

    func run(_ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction) {
        recorder.run(base, count, context, body)
    }

    func run(
        _ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction, _ spans: UnsafeMutablePointer<WorkSpan>
    ) {
        base.run(count, context, body, spans)
    }
}
