import Dispatch
import Synchronization

/// The time at which a caller stops to wait.
///
/// - Parameter seconds: From now; negative for no limit.
func deadline(_ seconds: Double) throws(InterfaceError) -> DispatchTime {
    guard !seconds.isNaN else { throw .argument("seconds are not a number", code: "seconds") }
    return seconds < 0 || seconds > 1e9 ? .distantFuture : .now() + seconds
}

/// Runs asynchronous work, and blocks the calling thread until it has ended.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    ProcessGuard.willStartThreads()
    let outcome = Outcome<Value>()
    let semaphore = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            outcome.set(.success(try await body()))
        } catch {
            outcome.set(.failure(error))
        }
        semaphore.signal()
    }
    semaphore.wait()
    return try outcome.get()
}

/// The outcome of work that runs elsewhere.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }

    /// - Throws: What the work threw.
    func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else {
            throw InterfaceError.bug("nothing was waited for")
        }
        return try result.get()
    }
}
