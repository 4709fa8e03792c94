import Apus
import Dispatch
import SharedOptions
import Synchronization

/// Shows the current step of a long command in one line of the terminal, which is updated; shows nothing elsewhere.
///
/// The elapsed seconds after it advance while the command is busy, to show that it is alive.
final class StatusLine: Sendable {
    private struct State {
        var text = ""
        var since = ContinuousClock.now
        var timer: (any DispatchSourceTimer)?
    }

    private let isShown: Bool
    private let state = Mutex(State())

    init(isQuiet: Bool) { isShown = StandardError.isTerminal && !isQuiet }

    /// Shows the current step.
    @Sendable func show(_ text: String) {
        guard isShown else { return }
        state.withLock { state in
            (state.text, state.since) = (text.printable, .now)
            Self.draw(state)
            guard state.timer == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
            timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1))
            timer.setEventHandler { [weak self] in self?.tick() }
            timer.resume()
            state.timer = timer
        }
    }

    /// Clears the line.
    func clear() {
        guard isShown else { return }
        state.withLock { state in
            guard let timer = state.timer else { return }
            timer.cancel()
            state.timer = nil
            StandardError.writeRaw("\r\u{1B}[K")
        }
    }

    private func tick() { state.withLock { if $0.timer != nil { Self.draw($0) } } }

    private static func draw(_ state: State) {
        let seconds = Int((ContinuousClock.now - state.since).inSeconds)
        StandardError.writeRaw(
            "\r\u{1B}[K\(state.text)" + (seconds > 0 ? ", \(ProgressLine.time(Double(seconds)))" : ""))
    }
}
