import Planning
import Platform
import Synchronization
import Tensors

/// A group of tracks in a trace: those of one session and of the threads that feed it.
package final class TraceProcess: Sendable {
    private struct State {
        /// The tracks of each stream: those of its threads, then that of its device's queue.
        var streams: [Int: Stream] = [:]
        /// The fields of the plans' slices.
        var plans: [ObjectIdentifier: PlanFields] = [:]
        var lastMemory = Int64.min
    }

    private struct Stream {
        let firstTrack: Int
        /// The beginnings of slices: one for each thread, and a last one for the device's queue.
        let prefixes: [[UInt8]]
        var hasDevice = false

        var threadCount: Int { prefixes.count - 1 }
    }

    /// The fields of a plan's slices. Holds the plan's identity, so that no other plan can have it.
    fileprivate struct PlanFields {
        let identity: PlanIdentity
        let run: [UInt8]
        let layers: [[UInt8]]
        let stages: [[UInt8]]
    }

    private let trace: Trace
    private let number: Int
    private let state = Mutex(State())

    /// The minimum time between two looks at memory, in nanoseconds.
    private static let memoryPause: Int64 = 10_000_000
    private static let maximumPlanCount = 64
    private static let expectedByteCount = 32 * 1024
    private static let enqueue = TraceEvents.fields(name: "enqueue", category: "scheduling")
    private static let wait = TraceEvents.fields(name: "wait for device", category: "waiting")
    private static let copy = TraceEvents.fields(name: "copy", category: "copy")

    package init(trace: Trace, number: Int) {
        self.trace = trace
        self.number = number
    }

    /// Writes the runs of plans that one call made.
    package func add(_ run: ProfiledCall) {
        var events = TraceEvents(start: trace.start, capacity: Self.expectedByteCount)
        for record in run.records {
            let (stream, fields) = prepare(record, stream: run.stream, &events)
            let first = stream.prefixes[0]
            events.slice(first, from: record.start, to: record.end, fields.run)
            for slice in record.host {
                events.slice(
                    first, from: slice.start, to: slice.end,
                    slice.work == .step ? fields.layers[Int(slice.layer)] : Self.fields(slice.work))
            }
            for (thread, slices) in record.threads.enumerated() {
                // The steps of the stream's own thread are written above.
                for slice in slices where thread > 0 || slice.work == .stage {
                    events.slice(
                        stream.prefixes[thread], from: slice.start, to: slice.end, fields.stages[Int(slice.layer)])
                }
            }
            var end = record.start
            for slice in record.device {
                // The device's clock is known only to within the time that enqueueing takes.
                let begin = max(slice.start, end)
                end = max(begin, slice.end)
                events.slice(
                    stream.prefixes[stream.threadCount], from: begin, to: end, fields.layers[Int(slice.layer)])
            }
        }
        if let last = run.records.last { addMemory(at: last.end, &events) }
        trace.append(events)
    }

    /// Writes a slice of the calling thread's time.
    func addSlice(
        _ name: String, category: String, from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant,
        arguments: [(String, String)] = []
    ) {
        var events = TraceEvents(start: trace.start)
        events.slice(
            TraceEvents.slicePrefix(process: number, track: trace.trackOfThread(process: number)),
            from: trace.time(begin), to: trace.time(end),
            TraceEvents.fields(name: name, category: category, arguments: arguments))
        trace.append(events)
    }

    /// Writes values that are drawn over time.
    func addCounter(_ name: String, _ values: [(String, Int)]) {
        var events = TraceEvents(start: trace.start)
        events.counter(process: number, name, at: MonotonicTime.now, values)
        trace.append(events)
    }

    private func addMemory(at time: Int64, _ events: inout TraceEvents) {
        let isDue = state.withLock { state in
            guard time - Self.memoryPause > state.lastMemory else { return false }
            state.lastMemory = time
            return true
        }
        guard isDue else { return }
        let tensors = MemoryBudget.process.bytesInUse
        events.counter(
            process: number, "memory", at: time,
            [("tensors and plans", tensors), ("process", ProcessMemory.residentBytes ?? tensors)])
    }

    private static func fields(_ work: ExecutionTimeline.Work) -> [UInt8] {
        switch work {
        case .enqueue: enqueue
        case .wait: wait
        default: copy
        }
    }

    private func makeStream(_ threadCount: Int) -> Stream {
        let first = trace.reserveTracks(threadCount + 1)
        return Stream(
            firstTrack: first,
            prefixes: (first...first + threadCount).map { TraceEvents.slicePrefix(process: number, track: $0) })
    }

    /// The tracks of a stream and the fields of a plan; names those that are new.
    private func prepare(
        _ record: ExecutionTimeline, stream number: Int, _ events: inout TraceEvents
    ) -> (Stream, PlanFields) {
        let threadCount = max(1, record.threads.count)
        return state.withLock { state in
            var stream = state.streams[number] ?? makeStream(threadCount)
            let position = 1000 * (number + 1)
            if state.streams[number] == nil {
                let name = "stream \(number + 1)"
                for thread in 0..<threadCount {
                    events.name(
                        track: stream.firstTrack + thread, process: self.number,
                        thread == 0 ? name : "\(name), thread \(thread + 1)", position: position + thread)
                }
            }
            if let device = record.plan.devicePart?.device.name, !stream.hasDevice {
                stream.hasDevice = true
                events.name(
                    track: stream.firstTrack + threadCount, process: self.number,
                    "stream \(number + 1), queue of \(device)", position: position + threadCount)
            }
            state.streams[number] = stream
            let key = ObjectIdentifier(record.plan.identity)
            let fields = state.plans[key] ?? PlanFields(record.plan)
            if state.plans.count > Self.maximumPlanCount { state.plans = [:] }
            state.plans[key] = fields
            return (stream, fields)
        }
    }
}

extension TraceProcess.PlanFields {
    fileprivate init(_ plan: Plan) {
        identity = plan.identity
        let inputs = plan.inputs.map { "\($0.name) \($0.type.shape)" }.joined(separator: ", ")
        run = TraceEvents.fields(
            name: "run", category: "run", arguments: [("inputs", TraceEvents.quoted(inputs))])
        func fields(_ layer: PlannedLayer, name: String) -> [UInt8] {
            let isCopy = layer.transferByteCount > 0 || layer.operatorName == Reorder.name
            return TraceEvents.fields(
                name: name, category: isCopy ? "copy" : "layer",
                arguments: [
                    ("operator", TraceEvents.quoted(layer.operatorName)),
                    ("kernel", TraceEvents.quoted("\(layer.backend)/\(layer.lowering)")),
                    ("shapes", TraceEvents.quoted("\(layer.inputShapes.first ?? []) → \(layer.outputShapes)")),
                    ("multiply-adds", "\(layer.multiplyAdds)"), ("bytes", "\(layer.byteCount)"),
                ])
        }
        stages = plan.layers.map { TraceEvents.fields(name: $0.name, category: "part") }
        layers = plan.layers.indices.map { index in
            let layer = plan.layers[index]
            guard let chain = layer.chain else { return fields(layer, name: layer.name) }
            let first = plan.layers[chain.operations.lowerBound].name
            return fields(layer, name: "\(first) to \(layer.name) in strips")
        }
    }
}
