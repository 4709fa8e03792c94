import Apus
import Dispatch
import Synchronization

/// What a long command does, on one line of a terminal that is written over and over; nothing elsewhere.
///
/// The seconds behind it go on while the command is busy, so that people see that it lives.
final class StatusLine: Sendable {
    private struct State {
        var text = ""
        var since = ContinuousClock.now
        var timer: (any DispatchSourceTimer)?
    }

    private let isShown: Bool
    private let state = Mutex(State())

    init(isQuiet: Bool) { isShown = StandardError.isTerminal && !isQuiet }

    /// Shows what is done now.
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

    /// Takes the line away.
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
