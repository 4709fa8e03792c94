import Apus
import FoundationEssentials
import Glibc

/// Writes lines to standard error. Failures to write are ignored.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// Writes one line; control characters in it are made visible.
    static func write(_ line: String) { writeRaw(line.printable + "\n") }

    /// Writes text as it is.
    static func writeRaw(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
