import Glibc
import Planning
import Platform
import Synchronization

/// A file of timed events, which Perfetto (https://ui.perfetto.dev) and Chrome's `chrome://tracing` show.
///
///     let trace = try Trace(path: "run.json")
///     let session = try await Session(model, options: .init(profiler: Profiler(name: "cpu", trace: trace)))
///     _ = try await session.predict(inputs)
///     try trace.finish()
///
/// The file is written piece by piece and is valid JSON after every piece, so that a process that ends early leaves a
/// trace of what it did. After the file has reached its limit, events are counted and left out. Recording never throws:
/// the first error of writing ends the trace, and ``finish()`` throws it.
///
/// Safe to use from any thread. The format is that of
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU, times in microseconds.
public final class Trace: Sendable {
    private struct State {
        var file: TraceFile
        var buffer: [UInt8] = []
        var lastFlush = MonotonicTime.now
        var isEmpty = true
        var isFinished = false
        var droppedCount = 0
        var failure: OutputError?
        var nextProcess = 1
        var nextTrack = 1
        /// The tracks of threads that belong to no session, by process and thread.
        var tracks: [ThreadKey: Int] = [:]
        var threadCounts: [String: Int] = [:]
    }

    private struct ThreadKey: Hashable {
        let process: Int
        let thread: UInt
    }

    /// The file's path.
    public let path: String
    /// The time from which times are counted, by two clocks.
    package let start = MonotonicTime.now
    private let startInstant = ContinuousClock.now
    private let byteLimit: Int
    private let state: Mutex<State>

    private static let pieceByteCount = 1 << 20
    private static let pause = 0.5

    /// Creates the file, in place of an existing one.
    ///
    /// - Parameters:
    ///   - byteLimit: The maximum size of the file in bytes, roughly.
    ///   - command: The command that the file names as its source, after `apus`.
    /// - Throws: ``ApusError/file(path:message:)``.
    public init(path: String, byteLimit: Int = 256 << 20, command: String = "run") throws(ApusError) {
        self.path = path
        self.byteLimit = byteLimit
        do {
            let file = try TraceFile(path: path, command: command)
            state = Mutex(State(file: file))
        } catch {
            throw ApusError(error)
        }
    }

    /// The number of events that were left out because the file had reached its limit.
    public var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Writes what is left and closes the file; later events are left out.
    ///
    /// - Throws: ``ApusError/file(path:message:)`` for the first error of writing.
    public func finish() throws(ApusError) {
        let failure = state.withLock { state -> OutputError? in
            guard !state.isFinished else { return state.failure }
            flush(&state)
            state.isFinished = true
            do throws(OutputError) {
                try state.file.close()
            } catch {
                state.failure = state.failure ?? error
            }
            return state.failure
        }
        if let failure { throw ApusError(failure) }
    }

    /// The time of an instant by the clock of recordings.
    package func time(_ instant: ContinuousClock.Instant) -> Int64 {
        start + Int64((instant - startInstant) / .nanoseconds(1))
    }

    /// Names a group of tracks and gives it a number.
    func addProcess(named name: String) -> TraceProcess {
        let number = state.withLock { state in
            defer { state.nextProcess += 1 }
            return state.nextProcess
        }
        var events = TraceEvents(start: start)
        events.name(process: number, name)
        append(events)
        return TraceProcess(trace: self, number: number)
    }

    /// Reserves the numbers of `count` tracks, and returns the first.
    func reserveTracks(_ count: Int) -> Int {
        state.withLock { state in
            defer { state.nextTrack += count }
            return state.nextTrack
        }
    }

    /// The track of the calling thread; its name is the thread's, with a number among threads of that name.
    func trackOfThread(process: Int) -> Int {
        let key = ThreadKey(process: process, thread: UInt(pthread_self()))
        if let track = state.withLock({ $0.tracks[key] }) { return track }
        let given = DetachedThread.currentName ?? ""
        let name = given.isEmpty ? "thread" : given
        let (track, number) = state.withLock { state in
            defer { state.nextTrack += 1 }
            state.tracks[key] = state.nextTrack
            state.threadCounts["\(process) \(name)", default: 0] += 1
            return (state.nextTrack, state.threadCounts["\(process) \(name)", default: 1])
        }
        var events = TraceEvents(start: start)
        events.name(track: track, process: process, "\(name) \(number)", position: 1_000_000 + track)
        append(events)
        return track
    }

    /// Adds events.
    package func append(_ events: TraceEvents) {
        guard events.count > 0 else { return }
        state.withLock { state in
            guard !state.isFinished, state.failure == nil else { return }
            guard state.file.byteCount + state.buffer.count + events.bytes.count <= byteLimit else {
                state.droppedCount += events.count
                return
            }
            if !state.isEmpty { state.buffer += [UInt8(ascii: ","), UInt8(ascii: "\n")] }
            state.isEmpty = false
            state.buffer += events.bytes
            let isDue = MonotonicTime.seconds(since: state.lastFlush) > Self.pause
            if isDue || state.buffer.count >= Self.pieceByteCount { flush(&state) }
        }
    }

    private func flush(_ state: inout State) {
        state.lastFlush = MonotonicTime.now
        guard state.failure == nil, !state.buffer.isEmpty else { return }
        do throws(OutputError) {
            try state.file.append(state.buffer)
        } catch {
            state.failure = error
        }
        state.buffer.removeAll(keepingCapacity: true)
    }
}
