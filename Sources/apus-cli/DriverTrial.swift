import Apus
import Dispatch
import Foundation

/// Whether OpenCL's drivers can be loaded, found out in a process of its own, since a driver may end the one that loads it.
enum DriverTrial {
    /// The argument of the process that loads them.
    static let argument = "--load-opencl-drivers"

    private static let longestSeconds = 60

    /// Loads the drivers and asks for their devices.
    static func load() -> Never {
        _ = Catalog.backendDescriptions
        _exit(0)
    }

    /// What became of a process that loads the drivers; nil when it came to its end, or could not be started.
    @Sendable static func failure() -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = [argument]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        guard (try? process.run()) != nil else { return nil }
        if ended.wait(timeout: .now() + .seconds(longestSeconds)) == .timedOut {
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
            return "took more than \(longestSeconds) s"
        }
        guard process.terminationReason == .uncaughtSignal else { return nil }
        let number = process.terminationStatus
        return "was ended by signal \(number) (\(String(cString: strsignal(number))))"
    }
}
