import Dispatch
import Synchronization

/// Hands a fixed number of resources out to tasks, in the order in which they ask.
package final class ResourcePool<Resource: Sendable>: Sendable {
    private struct State {
        var free: [Resource]
        var waiting: [(id: Int, waiter: Waiter)] = []
        var nextID = 0
    }

    private enum Waiter {
        case task(CheckedContinuation<Resource?, Never>)
        case thread(Handover)

        func resume(returning resource: Resource?) {
            switch self {
            case .task(let continuation): continuation.resume(returning: resource)
            case .thread(let handover): handover.give(resource)
            }
        }
    }

    /// Hands a resource to a blocked thread.
    private final class Handover: @unchecked Sendable {
        // Written before the signal, read after it.
        private var resource: Resource?
        private let semaphore = DispatchSemaphore(value: 0)

        func give(_ resource: Resource?) {
            self.resource = resource
            semaphore.signal()
        }

        func wait() -> Resource? {
            semaphore.wait()
            return resource
        }
    }

    private let state: Mutex<State>

    package init(_ resources: [Resource]) { state = Mutex(State(free: resources)) }

    /// Calls `body` with a resource that nothing else uses meanwhile.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; what `body` throws.
    package func with<Result: Sendable>(_ body: @Sendable (Resource) async throws -> Result) async throws -> Result {
        guard let resource = await take() else { throw CancellationError() }
        defer { give(resource) }
        return try await body(resource)
    }

    /// Calls `body` with a resource that nothing else uses meanwhile; blocks the calling thread until one is free.
    package func with<Result>(_ body: (Resource) throws -> Result) throws -> Result {
        let handover = state.withLock { state -> Handover in
            let handover = Handover()
            if let resource = state.free.popLast() {
                handover.give(resource)
            } else {
                state.nextID += 1
                state.waiting.append((state.nextID, .thread(handover)))
            }
            return handover
        }
        guard let resource = handover.wait() else { throw CancellationError() }
        defer { give(resource) }
        return try body(resource)
    }

    /// Waits for a resource, which the caller gives back; nil when the task is cancelled first.
    package func take() async -> Resource? {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isReady, resource) = state.withLock { state -> (Bool, Resource?) in
                    // The flag is set before the handler below runs, so one of the two sees the other.
                    if Task.isCancelled { return (true, nil) }
                    if let resource = state.free.popLast() { return (true, resource) }
                    state.waiting.append((id, .task(continuation)))
                    return (false, nil)
                }
                if isReady { continuation.resume(returning: resource) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).waiter }
            }
            waiter?.resume(returning: nil)
        }
    }

    /// Gives a resource back. The task or thread that has waited longest gets it.
    package func give(_ resource: Resource) {
        let next = state.withLock { state -> Waiter? in
            if state.waiting.isEmpty {
                state.free.append(resource)
                return nil
            }
            return state.waiting.removeFirst().waiter
        }
        next?.resume(returning: resource)
    }
}
