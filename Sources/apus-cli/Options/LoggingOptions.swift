import Apus
import ArgumentParser
import Logging

/// How much is said on standard error.
struct LoggingOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Say nothing on standard error but errors.")
    var quiet = false

    @Flag(name: [.short, .long], help: "Say on standard error what is done and how long it takes.")
    var verbose = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }

    /// A log with the level asked for.
    func makeLogger() -> Logger {
        var logger = Logger(label: "apus") { _ in StandardErrorLog() }
        logger.logLevel = quiet ? .error : verbose ? .debug : .warning
        return logger
    }
}

extension Session {
    /// Says what is wrong with the session's files, if anything.
    func warn(_ logger: Logger) {
        if let tuningProblem { logger.warning("\(tuningProblem)") }
    }
}

/// Writes log messages as lines on standard error.
struct StandardErrorLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .warning

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let prefix = event.level >= .warning ? "apus: \(event.level): " : "apus: "
        StandardError.write("\(prefix)\(event.message)")
    }
}
