import Tensors

/// A prepared device and the work that one run has enqueued there.
final class DeviceExecution {
    let planPart: DevicePart
    private let part: any PreparedDevicePart
    /// Downloads whose bytes are still in the staging memory.
    private var downloads: [(PlannedTransfer, layer: Int)] = []
    private var isBusy = false
    private var isFlushed = true
    /// Records when things happen; nil when nothing is recorded.
    var recorder: TimelineRecorder? {
        didSet { part.isRecording = recorder != nil }
    }
    /// The commands enqueued since the last wait, when they are recorded.
    private var enqueued: [Enqueued] = []

    private struct Enqueued {
        let layer: Int
        let commandCount: Int
        /// The processor's clock before and after the commands were enqueued.
        let before: Int64
        let after: Int64
    }

    init(_ planPart: DevicePart, _ part: any PreparedDevicePart) {
        self.planPart = planPart
        self.part = part
    }

    func enqueue(step: Int, layer: Int) throws(DeviceError) {
        try enqueue(layer: layer) { () throws(DeviceError) in try part.enqueue(step: step) }
    }

    func enqueue(_ transfer: PlannedTransfer, layer: Int, _ context: StepContext) throws(DeviceError) {
        guard transfer.byteCount > 0 else { return }
        switch transfer.target {
        case .device:
            for piece in transfer.pieces {
                copy(layer: layer) { transfer.stage(piece, context.memory, part.staging, on: context.workers) }
                try enqueue(layer: layer) { () throws(DeviceError) in
                    try part.upload(
                        stagingOffset: transfer.stagingOffset + piece.lowerBound,
                        arenaOffset: transfer.arenaOffset + piece.lowerBound, byteCount: piece.count)
                }
                if piece.upperBound < transfer.byteCount { try flush() }
            }
        case .host:
            try enqueue(layer: layer) { () throws(DeviceError) in
                try part.download(
                    arenaOffset: transfer.arenaOffset, stagingOffset: transfer.stagingOffset,
                    byteCount: transfer.byteCount)
            }
            downloads.append((transfer, layer))
        }
    }

    private func enqueue(layer: Int, _ body: () throws(DeviceError) -> Void) throws(DeviceError) {
        defer { (isBusy, isFlushed) = (true, false) }
        guard let recorder else { return try body() }
        let earlier = part.recordedCommandCount
        let start = MonotonicTime.now
        try body()
        recorder.add(.enqueue, layer: layer, since: start)
        enqueued.append(
            Enqueued(
                layer: layer, commandCount: part.recordedCommandCount - earlier, before: start,
                after: MonotonicTime.now))
    }

    private func copy(layer: Int, _ body: () -> Void) {
        let start = recorder == nil ? 0 : MonotonicTime.now
        body()
        recorder?.add(.copy, layer: layer, since: start)
    }

    /// Makes the device begin, before the processor goes on with something else.
    func flush() throws(DeviceError) {
        guard !isFlushed else { return }
        try part.flush()
        isFlushed = true
    }

    /// Waits for the device and copies downloads from the staging memory to where they belong.
    func finish(_ context: StepContext) throws(DeviceError) {
        guard isBusy else { return }
        let start = recorder == nil ? 0 : MonotonicTime.now
        try part.finish()
        recorder?.add(.wait, since: start)
        (isBusy, isFlushed) = (false, true)
        for (transfer, layer) in downloads {
            copy(layer: layer) { transfer.unstage(context.memory, part.staging, on: context.workers) }
        }
        downloads.removeAll(keepingCapacity: true)
        if let recorder { try record(recorder) }
    }

    /// Records what the device did since the last wait, in times of the processor's clock.
    ///
    /// A command is enqueued between two readings of the processor's clock. They bound the offset between the device's
    /// clock and the processor's from below and above, and every command narrows that range.
    private func record(_ recorder: TimelineRecorder) throws(DeviceError) {
        let times = try part.takeTimes()
        defer { enqueued.removeAll(keepingCapacity: true) }
        guard times.count == enqueued.reduce(0, { $0 + $1.commandCount }) else { return }
        var (least, most) = (Int64.min, Int64.max)
        var next = 0
        for work in enqueued where work.commandCount > 0 {
            least = max(least, work.before - times[next].enqueued)
            next += work.commandCount
            most = min(most, work.after - times[next - 1].enqueued)
        }
        let offset = least / 2 + most / 2
        next = 0
        var previousEnd = Int64.max
        for work in enqueued where work.commandCount > 0 {
            let commands = times[next..<next + work.commandCount]
            next += work.commandCount
            guard let first = commands.map(\.start).min(), let last = commands.map(\.end).max() else { continue }
            // The queue is in order, so the step starts when the queue reaches it: launching counts as part of it.
            let start = min(first + offset, max(previousEnd, work.after))
            previousEnd = max(start, last + offset)
            recorder.add(device: ExecutionTimeline.Slice(.step, layer: work.layer, start: start, end: previousEnd))
        }
    }

    /// Waits for the device after an error; its answer no longer matters.
    func drain() {
        if isBusy { try? part.finish() }
        (isBusy, isFlushed) = (false, true)
        downloads.removeAll(keepingCapacity: true)
        enqueued.removeAll(keepingCapacity: true)
        _ = try? part.takeTimes()
    }
}

extension Plan.PlannedStep {
    /// Runs the step on the processor, or enqueues it on the device.
    ///
    /// - Throws: ``DeviceError``, ``PlanningError``, or what the step throws.
    func run(_ context: StepContext, _ device: DeviceExecution?) throws {
        if readsDownload { try device?.finish(context) }
        switch work {
        case .host(let step):
            try device?.flush()
            guard let recorder = context.recorder else { return try step.run(context) }
            try recorder.recordStep(layer, isChain: step is StripStep) { try step.run(context) }
        case .device(let step): try device?.enqueue(step: step, layer: layer)
        case .transfer(let transfer): try device?.enqueue(transfer, layer: layer, context)
        }
    }
}
