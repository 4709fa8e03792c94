import Apus
import ArgumentParser
import Foundation

/// When progress is shown.
enum ProgressMode: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}

/// How far a run is: on a terminal one line of standard error that is written over and over, elsewhere a line now and then.
struct ProgressLine {
    private let isShown: Bool
    private let sharesTerminalWithRows: Bool
    private let pause: Duration
    private let isEager: Bool
    private var start = ContinuousClock.now
    private var shown = ContinuousClock.now
    private var isOnScreen = false
    /// When the present rate is counted from, and what was done by then.
    private var window: (since: ContinuousClock.Instant, done: Int)?

    init(_ mode: ProgressMode, isQuiet: Bool, rowsGoToTerminal: Bool) {
        sharesTerminalWithRows = rowsGoToTerminal
        // Rows on the same terminal are progress enough.
        let isAutomatic = !rowsGoToTerminal && !isQuiet
        isShown = mode == .always || mode == .auto && isAutomatic
        pause = StandardError.isTerminal ? .milliseconds(100) : mode == .always ? .seconds(1) : .seconds(10)
        isEager = mode == .always
    }

    /// The clock starts.
    mutating func begin() {
        start = .now
        shown = isEager ? start - pause : start
    }

    /// Shows the counts, unless they were shown a moment ago.
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
        parts.append(String(format: "%.1f img/s (mean %.1f)", present, mean))
        if let total = progress.total, mean > 0 {
            parts.append("\(Self.time(Double(total - progress.done) / mean)) left")
        }
        return parts.joined(separator: ", ")
    }

    /// Takes the line away if a row would be written behind it.
    mutating func makeRoomForRow() {
        if sharesTerminalWithRows { clear() }
    }

    /// Takes the line away.
    mutating func clear() {
        if isOnScreen { StandardError.writeRaw("\r\u{1B}[K") }
        isOnScreen = false
    }

    /// Seconds for people: `42 s`, `3 min 20 s`, `5 h 12 min`.
    static func time(_ seconds: Double) -> String {
        let whole = Int(min(seconds, 1e9).rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var inSeconds: Double { self / .seconds(1) }

    /// The duration for people, in milliseconds.
    var inMilliseconds: String { String(format: "%.1f ms", inSeconds * 1000) }
}
