import Synchronization

/// The time that each stage of a run takes, and the records that took longest to prepare. Stages run at the same time,
/// on several threads each, so their times add up to more than that of the run.
package final class StageTimes: Sendable {
    /// The stages of a record, in order.
    package enum Stage: String, CaseIterable {
        case read, decode, preprocess, predict, write, commit
    }

    private struct State {
        var durations = [Duration](repeating: .zero, count: Stage.allCases.count)
        var slowest: [SlowRecord] = []
    }

    private static let slowestCount = 5
    private let state = Mutex(State())
    /// The trace to which stages are also written.
    private let trace: TraceProcess?
    private let depths = Mutex([Int](repeating: 0, count: Queue.allCases.count))

    /// Makes times of zero.
    ///
    /// - Parameter profiler: A profiler whose trace is also written to.
    package init(_ profiler: Profiler? = nil) { trace = profiler?.process }

    /// The places, in order, where pictures of a run are until they are written.
    package enum Queue: String, CaseIterable {
        case preparing
        case waiting = "waiting to be predicted"
        case predicting
        case writing = "waiting to be written"
    }

    /// Moves pictures from one place to another; nil is outside of the run.
    package func move(_ count: Int, from source: Queue?, to target: Queue?) {
        guard let trace, count > 0 else { return }
        let depths = depths.withLock { depths in
            if let index = source.flatMap(Queue.allCases.firstIndex(of:)) { depths[index] -= count }
            if let index = target.flatMap(Queue.allCases.firstIndex(of:)) { depths[index] += count }
            return depths
        }
        trace.addCounter("pictures", zip(Queue.allCases.map(\.rawValue), depths).map { ($0, max(0, $1)) })
    }

    /// Adds the time from `start` to the present.
    package func add(_ stage: Stage, since start: ContinuousClock.Instant) {
        let end = ContinuousClock.now
        let duration = end - start
        guard let index = Stage.allCases.firstIndex(of: stage) else { return }
        state.withLock { $0.durations[index] += duration }
        // Several tasks share a prediction, and the trace has the work of its stream anyway.
        if stage != .predict { trace?.addSlice(stage.rawValue, category: "stage", from: start, to: end) }
    }

    /// Notes the time that a record took to be read, decoded and preprocessed.
    package func note(_ id: String, since start: ContinuousClock.Instant) {
        let end = ContinuousClock.now
        let seconds = (end - start) / .seconds(1)
        trace?.addSlice(
            "prepare", category: "record", from: start, to: end, arguments: [("id", TraceEvents.quoted(id))])
        state.withLock { state in
            guard state.slowest.count < Self.slowestCount || seconds > state.slowest[Self.slowestCount - 1].seconds
            else { return }
            let position = state.slowest.firstIndex { $0.seconds < seconds } ?? state.slowest.count
            state.slowest.insert(SlowRecord(id: id, seconds: seconds), at: position)
            if state.slowest.count > Self.slowestCount { state.slowest.removeLast() }
        }
    }

    /// The seconds of thread time by the stage's name.
    package var seconds: [String: Double] {
        state.withLock { state in
            Dictionary(
                uniqueKeysWithValues: zip(Stage.allCases.map(\.rawValue), state.durations.map { $0 / .seconds(1) }))
        }
    }

    /// The records that took longest, longest first.
    package var slowest: [SlowRecord] { state.withLock { $0.slowest } }
}

/// A record that took long to read, decode and preprocess.
public struct SlowRecord: Sendable, Codable {
    /// The record's id.
    public let id: String
    /// The time in seconds.
    public let seconds: Double
}
