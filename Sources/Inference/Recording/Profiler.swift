import Planning
import Synchronization

/// Collects where the time of a session's runs goes; a session has it among its options.
///
///     let profiler = Profiler()
///     let session = try await Session(model, options: .init(profiler: profiler))
///     _ = try await session.predict(inputs)
///     print(profiler.profile()?.seconds ?? 0)
///
/// Safe to use from any task. While ``isRecording`` is false runs cost what they cost without a profiler.
public final class Profiler: Sendable {
    /// What is profiled, as the trace names it.
    public let name: String
    /// Where everything that is recorded is also written to.
    public let trace: Trace?
    package let process: TraceProcess?
    private let recording = Atomic<Bool>(true)
    private let totals = Mutex(ProfileTotals())

    /// Makes a profiler that records.
    ///
    /// - Parameters:
    ///   - name: What tells it from others in the same trace.
    ///   - trace: Where runs are written to as well; several profilers may share one.
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

    /// Forgets the runs so far; what is in the trace stays.
    public func reset() { totals.withLock { $0 = ProfileTotals() } }

    /// The sums of the runs so far, which profiles are made of.
    package var recordedTotals: ProfileTotals { totals.withLock { $0 } }

    /// Adds a call of a session.
    ///
    /// - Parameters:
    ///   - asked: When it began, and `answered` when it ended, by ``MonotonicTime``.
    func add(_ run: RecordedRun, model: String, images: Int, asked: Int64, answered: Int64) {
        totals.withLock { $0.add(run.records, model: model, images: images, asked: asked, answered: answered) }
        process?.add(run)
    }
}

/// The runs of plans that one call of a session made.
package struct RecordedRun: Sendable {
    let records: [RunRecord]
    /// The stream that ran them, from 0.
    let stream: Int
}
