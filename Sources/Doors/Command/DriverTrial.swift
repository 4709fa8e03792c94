import Apus
import Dispatch
import Foundation

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
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = [argument]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        guard (try? process.run()) != nil else { return nil }
        if ended.wait(timeout: .now() + .seconds(maximumSeconds)) == .timedOut {
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
            return "took more than \(maximumSeconds) s"
        }
        guard process.terminationReason == .uncaughtSignal else { return nil }
        let number = process.terminationStatus
        return "was ended by signal \(number) (\(String(cString: strsignal(number))))"
    }
}
