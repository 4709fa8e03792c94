import Apus
import CApus
import Dispatch
import Synchronization

/// Work that was begun, and its outcome.
final class WorkObject: HandleObject {
    static let kind = "work"

    /// What work gives.
    enum Result: Sendable {
        case outputs([String: Tensor], SessionObject)
        case answers([AnswerObject])
        case summary(RunSummary)
    }

    private struct State {
        var result: Swift.Result<Result, any Error>?
        var task: Task<Void, Never>?
        var isCancelled = false
        var progress: RunProgress?
    }

    private let state = Mutex(State())
    /// Is left when the work has ended.
    private let group = DispatchGroup()
    /// Asks the work to end; nil where cancelling its task does.
    private let gracefulStop: GracefulStop?

    private init(gracefulStop: GracefulStop?) { self.gracefulStop = gracefulStop }

    /// Begins work, and gives out its handle before it can end.
    ///
    /// - Parameters:
    ///   - callback: Called when the work has ended. The handle is valid meanwhile.
    ///   - gracefulStop: Requested when the caller cancels the work; without one the task of `body` is cancelled.
    static func begin(
        _ callback: apus_callback?, _ context: UnsafeMutableRawPointer?,
        at place: UnsafeMutablePointer<OpaquePointer?>, gracefulStop: GracefulStop? = nil,
        _ body: @escaping @Sendable (WorkObject) async throws -> Result
    ) throws(InterfaceError) {
        ProcessGuard.willStartThreads()
        let work = WorkObject(gracefulStop: gracefulStop)
        let callback = callback.map { Callback(function: $0, context: context) }
        // The second reference is that of the task.
        let handle = try HandleTable.shared.add(work, references: 2)
        let ticket = UInt(bitPattern: handle)
        place.pointee = handle
        work.group.enter()
        let task = Task.detached {
            do {
                work.end(.success(try await body(work)))
            } catch {
                work.end(.failure(error))
            }
            let handle = OpaquePointer(bitPattern: ticket)
            callback?.function(handle, callback?.context)
            try? HandleTable.shared.release(handle)
        }
        work.keep(task)
    }

    private func keep(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            if state.result == nil { state.task = task }
            return state.isCancelled
        }
        if isCancelled, gracefulStop == nil { task.cancel() }
    }

    private func end(_ result: Swift.Result<Result, any Error>) {
        state.withLock { ($0.result, $0.task) = (result, nil) }
        group.leave()
    }

    /// Asks the work to end.
    func cancel() {
        gracefulStop?.stop()
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        if gracefulStop == nil { task?.cancel() }
    }

    /// Waits until the work has ended.
    ///
    /// - Parameter seconds: The longest time; negative for no limit.
    /// - Throws: Why the work failed, or that the time has passed.
    func wait(_ seconds: Double) throws {
        guard group.wait(timeout: try deadline(seconds)) == .success else {
            throw InterfaceError.timeout("the work goes on")
        }
        _ = try result()
    }

    /// What the work gave.
    ///
    /// - Throws: Why it failed, or that it goes on.
    func result() throws -> Result {
        guard let result = state.withLock({ $0.result }) else {
            throw InterfaceError.timeout("the work goes on")
        }
        return try result.get()
    }

    /// How far a run over a dataset is; nil for other work, and before the run begins.
    var progress: RunProgress? {
        get { state.withLock { $0.progress } }
        set { state.withLock { $0.progress = newValue } }
    }
}
