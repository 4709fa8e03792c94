import Apus
import CApus
import Logging
import Synchronization

/// Hands messages to the function of the caller, if there is one.
struct LogSink: LogHandler {
    private typealias Receiver = (
        callback: Callback<@convention(c) (Int32, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void>,
        level: Logger.Level
    )

    private static let receiver = Mutex<Receiver?>(nil)

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level {
        get { Self.receiver.withLock { $0?.level } ?? .critical }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// A logger whose messages go to the caller.
    static func logger() -> Logger { Logger(label: "apus") { _ in LogSink() } }

    /// Sets the function of the caller; nil for none.
    static func set(_ function: apus_log_function?, _ context: UnsafeMutableRawPointer?, _ level: Logger.Level) {
        let new = function.map { (callback: Callback(function: $0, context: context), level: level) }
        receiver.withLock { $0 = new }
    }

    func log(event: LogEvent) {
        guard let receiver = Self.receiver.withLock({ $0 }), event.level >= receiver.level else { return }
        let level = Int32(Logger.Level.allCases.firstIndex(of: event.level) ?? 0)
        "\(event.message)".printable.withCString { receiver.callback.function(level, $0, receiver.callback.context) }
    }
}

@c @implementation
public func apus_set_log(
    _ function: apus_log_function?, _ context: UnsafeMutableRawPointer?, _ minimumLevel: Int32,
    _ error: UnsafeMutablePointer<apus_error>?
) -> apus_status {
    call(error) {
        let levels = Logger.Level.allCases
        let index = try checked(Int(minimumLevel), below: levels.count, "level")
        LogSink.set(function, context, levels[index])
    }
}
