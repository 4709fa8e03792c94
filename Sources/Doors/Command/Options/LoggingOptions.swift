import Apus
import ArgumentParser
import Logging

/// The options for messages on standard error.
struct LoggingOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Write only errors to standard error.")
    var quiet = false

    @Flag(name: [.short, .long], help: "Write each step and its time to standard error.")
    var verbose = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }

    /// A logger with the requested level.
    func makeLogger() -> Logger {
        var logger = Logger(label: "apus") { _ in StandardErrorLog() }
        logger.logLevel = quiet ? .error : verbose ? .debug : .warning
        return logger
    }
}

extension Session {
    /// Logs problems with the session's and the model's files.
    func warn(_ logger: Logger) {
        for warning in model.warnings { logger.warning("\(model.name): \(warning.printable)") }
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
