import Dispatch
import Foundation
import Synchronization

/// What happens on Ctrl-C and when the process is asked to end.
///
/// Between ``beginGracefulWork()`` and ``endGracefulWork()`` the first signal cancels the command, which then finishes
/// what it has. Any other signal ends the process at once.
enum Interruption {
    private struct State {
        var work: Task<ExitStatus, Never>?
        var isGraceful = false
        var hasBegun = false
        var sources: [any DispatchSourceSignal] = []
    }

    private static let state = Mutex(State())

    /// Listens for signals about `work`.
    static func watch(_ work: Task<ExitStatus, Never>) {
        state.withLock { state in
            state.work = work
            for number in [SIGINT, SIGTERM] {
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
                source.setEventHandler { handle() }
                source.resume()
                state.sources.append(source)
            }
        }
    }

    /// Whether a signal has asked the command to finish.
    static var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// From now on the command ends early and well when its task is cancelled.
    static func beginGracefulWork() { state.withLock { $0.isGraceful = true } }

    /// From now on a signal ends the process.
    static func endGracefulWork() { state.withLock { $0.isGraceful = false } }

    private static func handle() {
        let work = state.withLock { state -> Task<ExitStatus, Never>? in
            guard state.isGraceful, !state.hasBegun else { return nil }
            state.hasBegun = true
            return state.work
        }
        if let work { return work.cancel() }
        StandardError.write("apus: interrupted")
        _exit(ExitStatus.interrupted.rawValue)
    }
}
