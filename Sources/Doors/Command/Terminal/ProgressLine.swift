import Apus
import ArgumentParser
import FoundationEssentials
import Platform
import SharedOptions

/// The conditions under which progress is shown.
enum ProgressMode: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}

/// Shows the progress of a run on standard error. On a terminal one line is updated; elsewhere lines are added
/// occasionally.
struct ProgressLine {
    private let isShown: Bool
    private let sharesTerminalWithRows: Bool
    private let pause: Duration
    private let isEager: Bool
    private var start = ContinuousClock.now
    private var shown = ContinuousClock.now
    private var isOnScreen = false
    /// The start of the window for the present rate, and the number of records done by then.
    private var window: (since: ContinuousClock.Instant, done: Int)?

    init(_ mode: ProgressMode, isQuiet: Bool, rowsGoToTerminal: Bool) {
        sharesTerminalWithRows = rowsGoToTerminal
        // Rows on the same terminal show the progress already.
        let isAutomatic = !rowsGoToTerminal && !isQuiet
        isShown = mode == .always || mode == .auto && isAutomatic
        pause = StandardError.isTerminal ? .milliseconds(100) : mode == .always ? .seconds(1) : .seconds(10)
        isEager = mode == .always
    }

    /// Starts the clock.
    mutating func begin() {
        start = .now
        shown = isEager ? start - pause : start
    }

    /// Shows the counts, unless the last update was too recent.
    mutating func update(_ progress: RunProgress) {
        let now = ContinuousClock.now
        guard isShown, now - shown >= pause else { return }
        shown = now
        let text = text(progress, now)
        StandardError.writeRaw(StandardError.isTerminal ? "\r\u{1B}[K\(text)" : "apus: \(text)\n")
        isOnScreen = StandardError.isTerminal
    }

    private mutating func text(_ progress: RunProgress, _ now: ContinuousClock.Instant) -> String {
        let done = progress.done - progress.resumed
        let mean = Double(done) / max((now - start).inSeconds, 1e-9)
        var present = mean
        if let window, now > window.since {
            present = Double(done - window.done) / (now - window.since).inSeconds
        }
        if window.map({ now - $0.since > max(pause, .seconds(3)) }) ?? true { window = (now, done) }
        var parts = [progress.total.map { "\(progress.done.grouped) of \($0.grouped)" } ?? progress.done.grouped]
        if progress.failed > 0 {
            parts.append("\(progress.failed.grouped) \(progress.failed == 1 ? "error" : "errors")")
        }
        parts.append("\(present.text(decimals: 1)) img/s (mean \(mean.text(decimals: 1)))")
        if let total = progress.total, mean > 0 {
            parts.append("\(Self.time(Double(total - progress.done) / mean)) left")
        }
        return parts.joined(separator: ", ")
    }

    /// Clears the line before a row is written to the same terminal.
    mutating func makeRoomForRow() {
        if sharesTerminalWithRows { clear() }
    }

    /// Clears the line.
    mutating func clear() {
        if isOnScreen { StandardError.writeRaw("\r\u{1B}[K") }
        isOnScreen = false
    }

    /// A duration as text: `42 s`, `3 min 20 s`, `5 h 12 min`.
    static func time(_ seconds: Double) -> String {
        let whole = Int(min(seconds, 1e9).rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
}
