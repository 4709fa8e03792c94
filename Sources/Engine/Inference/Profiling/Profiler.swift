import Planning
import Synchronization

/// Records where the time of a session's runs goes; it is given to a session in its options.
///
///     let profiler = Profiler()
///     let session = try await Session(model, options: .init(profiler: profiler))
///     _ = try await session.predict(inputs)
///     print(profiler.profile()?.seconds ?? 0)
///
/// Safe to use from any task. While ``isRecording`` is false, a run costs no more than without a profiler.
public final class Profiler: Sendable {
    /// The name of what is profiled, in the trace.
    public let name: String
    /// The trace to which everything recorded is also written.
    public let trace: Trace?
    package let process: TraceProcess?
    private let recording = Atomic<Bool>(true)
    private let totals = Mutex(ProfileTotals())

    /// Makes a profiler that records.
    ///
    /// - Parameters:
    ///   - name: The name that distinguishes it from others in the same trace.
    ///   - trace: A trace to which runs are also written; several profilers may share one.
    public init(name: String = "", trace: Trace? = nil) {
        self.name = name
        self.trace = trace
        process = trace.map { $0.addProcess(named: name.isEmpty ? "apus" : name) }
    }

    /// Whether runs that begin are recorded.
    public var isRecording: Bool {
        get { recording.load(ordering: .relaxed) }
        set { recording.store(newValue, ordering: .relaxed) }
    }

    /// Forgets the runs so far, but not those in the trace.
    public func reset() { totals.withLock { $0 = ProfileTotals() } }

    /// The sums of the runs so far, from which profiles are made.
    package var recordedTotals: ProfileTotals { totals.withLock { $0 } }

    /// Adds a call of a session.
    ///
    /// - Parameters:
    ///   - asked: When the call began, by ``MonotonicTime``; `answered` is when it ended.
    func add(_ run: ProfiledCall, model: String, images: Int, asked: Int64, answered: Int64) {
        totals.withLock { $0.add(run.records, model: model, images: images, asked: asked, answered: answered) }
        process?.add(run)
    }
}

/// The runs of plans that one call of a session made.
package struct ProfiledCall: Sendable {
    let records: [ExecutionTimeline]
    /// The number of the stream that ran them, from 0.
    let stream: Int
}
