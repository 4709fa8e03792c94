import Apus
import Glibc
import Platform

/// Tests whether OpenCL's drivers can be loaded. It does so in a separate process, since a driver may crash it.
enum DriverTrial {
    /// The argument of the process that loads the drivers.
    static let argument = "--load-opencl-drivers"

    private static let maximumSeconds = 60

    /// Loads the drivers and asks for their devices.
    static func load() -> Never {
        _ = Catalog.backendDescriptions
        _exit(0)
    }

    /// The failure of a process that loads the drivers; nil when it ended normally or could not be started.
    @Sendable static func failure() -> String? {
        // A driver may write without end, and what it starts may live on with its output.
        let words = ["/bin/sh", "-c", "exec \"$0\" \"$1\" >/dev/null 2>&1", Installation.program, argument]
        let start = ContinuousClock.now
        let limit = Duration.seconds(maximumSeconds)
        guard let number = try? ChildProcess(words).endingSignal(within: limit) else { return nil }
        if number == SIGKILL, .now - start >= limit { return "took more than \(maximumSeconds) s" }
        return "was ended by signal \(number) (\(strsignal(number).map { String(cString: $0) } ?? "unknown"))"
    }
}
