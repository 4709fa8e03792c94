import Apus
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// The handling of SIGINT (Ctrl-C), SIGTERM and SIGHUP.
///
/// Between ``beginGracefulWork(stopping:)`` and ``endGracefulWork()`` the first signal asks the command's run to stop,
/// or cancels the command, which then finishes its started work. A second signal, and any signal at other times, ends
/// the process at once.
enum Interruption {
    private struct State {
        var work: Task<ExitStatus, Never>?
        var stop: (@Sendable () -> Void)?
        var beginning: ContinuousClock.Instant?
        var sources: [any DispatchSourceSignal] = []
    }

    private static let state = Mutex(State())

    /// Installs the signal handlers for `work`.
    static func watch(_ work: Task<ExitStatus, Never>) {
        state.withLock { state in
            state.work = work
            for number in [SIGINT, SIGTERM, SIGHUP] {
                let earlier = signal(number, SIG_IGN)
                // A command started by nohup ignores SIGHUP.
                if number == SIGHUP, unsafeBitCast(earlier, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                    continue
                }
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
                source.setEventHandler { handle() }
                source.resume()
                state.sources.append(source)
            }
        }
    }

    /// Signals within this time count as one, since some senders signal both the process and its group.
    private static let pause = Duration.milliseconds(250)

    /// Whether a signal has asked the command to finish.
    static var hasBegun: Bool { state.withLock { $0.beginning != nil } }

    /// From here on the first signal requests `gracefulStop`, or without one cancels the task, and the command ends in
    /// an orderly way.
    static func beginGracefulWork(stopping gracefulStop: GracefulStop? = nil) {
        state.withLock { state in
            state.stop = { [work = state.work] in
                if let gracefulStop { gracefulStop.stop() } else { work?.cancel() }
            }
        }
    }

    /// From here on a signal ends the process at once.
    static func endGracefulWork() { state.withLock { $0.stop = nil } }

    private static func handle() {
        let now = ContinuousClock.now
        let isLast = state.withLock { state in
            if let beginning = state.beginning { return now - beginning > pause }
            guard let stop = state.stop else { return true }
            state.beginning = now
            stop()
            return false
        }
        guard isLast else { return }
        StandardError.write("apus: interrupted")
        _exit(ExitStatus.interrupted.rawValue)
    }
}
