import Apus
import Dispatch
import Foundation
import Synchronization

/// What happens on Ctrl-C, when the process is asked to end, and when its terminal closes.
///
/// Between ``beginGracefulWork(stopping:)`` and ``endGracefulWork()`` the first signal stops the command's intake, or cancels
/// the command, which then finishes what it has. A second one ends the process at once, and so does the first at other times.
enum Interruption {
    private struct State {
        var work: Task<ExitStatus, Never>?
        var stop: (@Sendable () -> Void)?
        var beginning: ContinuousClock.Instant?
        var sources: [any DispatchSourceSignal] = []
    }

    private static let state = Mutex(State())

    /// Listens for signals about `work`.
    static func watch(_ work: Task<ExitStatus, Never>) {
        state.withLock { state in
            state.work = work
            for number in [SIGINT, SIGTERM, SIGHUP] {
                let earlier = signal(number, SIG_IGN)
                // Started by nohup, a command outlives its terminal.
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

    /// Signals so close together are one wish: some senders tell both the process and its group.
    private static let pause = Duration.milliseconds(250)

    /// Whether a signal has asked the command to finish.
    static var hasBegun: Bool { state.withLock { $0.beginning != nil } }

    /// From now on the command ends early and well when its task is cancelled, or when `intake`, if it has one, is stopped.
    static func beginGracefulWork(stopping intake: Intake? = nil) {
        state.withLock { state in
            state.stop = { [work = state.work] in
                if let intake { intake.stop() } else { work?.cancel() }
            }
        }
    }

    /// From now on a signal ends the process.
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
