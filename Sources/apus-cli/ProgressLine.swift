import ArgumentParser
import Foundation

/// When progress is shown.
enum ProgressMode: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}

/// How far a run is, on one line of standard error that is written over and over.
struct ProgressLine {
    private let total: Int?
    private let isShown: Bool
    private let sharesTerminalWithRows: Bool
    private let start = ContinuousClock.now
    private var shown: ContinuousClock.Instant?

    init(_ mode: ProgressMode, total: Int?, isQuiet: Bool, rowsGoToTerminal: Bool) {
        self.total = total
        sharesTerminalWithRows = rowsGoToTerminal
        // Rows on the same terminal are progress enough.
        let isAutomatic = StandardError.isTerminal && !rowsGoToTerminal && !isQuiet
        isShown = mode == .always || mode == .auto && isAutomatic
    }

    /// Shows the counts, unless they were shown a moment ago.
    mutating func update(done: Int, failed: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let pause: Duration = StandardError.isTerminal ? .milliseconds(100) : .seconds(1)
        if let shown, now - shown < pause { return }
        shown = now
        let rate = Double(done) / max((now - start).inSeconds, 1e-9)
        let left = total.map { String(format: ", %.0f s left", rate > 0 ? (Double($0 - done) / rate).rounded(.up) : 0) }
        let errors = failed == 0 ? "" : failed == 1 ? ", 1 error" : ", \(failed) errors"
        let text =
            "\(done)\(total.map { " of \($0)" } ?? "")\(errors), " + String(format: "%.1f img/s", rate) + (left ?? "")
        StandardError.writeRaw(StandardError.isTerminal ? "\r\u{1B}[K\(text)" : "apus: \(text)\n")
    }

    /// Takes the line away if a row would be written behind it.
    func makeRoomForRow() {
        if sharesTerminalWithRows { clear() }
    }

    /// Takes the line away.
    func clear() {
        if isShown, shown != nil, StandardError.isTerminal { StandardError.writeRaw("\r\u{1B}[K") }
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var inSeconds: Double { self / .seconds(1) }

    /// The duration for people, in milliseconds.
    var inMilliseconds: String { String(format: "%.1f ms", inSeconds * 1000) }
}
