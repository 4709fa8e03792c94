import Tensors

/// A prepared device together with what one run has under way there.
final class DeviceRun {
    let planPart: DevicePart
    private let part: any PreparedDevicePart
    /// Downloads whose bytes have not been taken out of the staging memory.
    private var downloads: [PlannedTransfer] = []
    private var isBusy = false
    private var isFlushed = true

    init(_ planPart: DevicePart, _ part: any PreparedDevicePart) {
        self.planPart = planPart
        self.part = part
    }

    func enqueue(step: Int) throws(DeviceError) {
        try part.enqueue(step: step)
        (isBusy, isFlushed) = (true, false)
    }

    func enqueue(_ transfer: PlannedTransfer, _ memory: RunMemory) throws(DeviceError) {
        guard transfer.byteCount > 0 else { return }
        switch transfer.target {
        case .device:
            transfer.stage(memory, part.staging)
            try part.upload(
                stagingOffset: transfer.stagingOffset, arenaOffset: transfer.arenaOffset, byteCount: transfer.byteCount)
        case .host:
            try part.download(
                arenaOffset: transfer.arenaOffset, stagingOffset: transfer.stagingOffset, byteCount: transfer.byteCount)
            downloads.append(transfer)
        }
        (isBusy, isFlushed) = (true, false)
    }

    /// Has the device begin, before the processor goes on with something else.
    func flush() throws(DeviceError) {
        guard !isFlushed else { return }
        try part.flush()
        isFlushed = true
    }

    /// Waits for the device and puts what came from it where it belongs.
    func finish(_ memory: RunMemory) throws(DeviceError) {
        guard isBusy else { return }
        try part.finish()
        (isBusy, isFlushed) = (false, true)
        for download in downloads { download.unstage(memory, part.staging) }
        downloads.removeAll(keepingCapacity: true)
    }

    /// Waits for the device after an error; what it answers no longer matters.
    func drain() {
        if isBusy { try? part.finish() }
        (isBusy, isFlushed) = (false, true)
        downloads.removeAll(keepingCapacity: true)
    }
}

extension Plan.PlannedStep {
    /// Runs the step on the processor, or enqueues it on the device.
    ///
    /// - Throws: ``DeviceError``, ``PlanningError``, or what the step throws.
    func run(_ context: StepContext, _ device: DeviceRun?) throws {
        if readsDownload { try device?.finish(context.memory) }
        switch work {
        case .host(let step):
            try device?.flush()
            try step.run(context)
        case .device(let step): try device?.enqueue(step: step)
        case .transfer(let transfer): try device?.enqueue(transfer, context.memory)
        }
    }
}
