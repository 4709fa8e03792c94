import Glibc

/// A lock, and a condition that those who hold it can wait for, as POSIX has them.
package final class Condition: @unchecked Sendable {
    // A buffer's header stays at one place in memory, as POSIX demands.
    private let mutex = ManagedBuffer<pthread_mutex_t, Void>.create(minimumCapacity: 0) { _ in pthread_mutex_t() }
    private let condition = ManagedBuffer<pthread_cond_t, Void>.create(minimumCapacity: 0) { _ in pthread_cond_t() }

    package init() {
        // With default attributes, neither can fail on Linux.
        _ = mutex.withUnsafeMutablePointerToHeader { pthread_mutex_init($0, nil) }
        _ = condition.withUnsafeMutablePointerToHeader { pthread_cond_init($0, nil) }
    }

    deinit {
        _ = condition.withUnsafeMutablePointerToHeader { pthread_cond_destroy($0) }
        _ = mutex.withUnsafeMutablePointerToHeader { pthread_mutex_destroy($0) }
    }

    package func lock() { _ = mutex.withUnsafeMutablePointerToHeader { pthread_mutex_lock($0) } }

    package func unlock() { _ = mutex.withUnsafeMutablePointerToHeader { pthread_mutex_unlock($0) } }

    package func withLock<Value>(_ body: () -> Value) -> Value {
        lock()
        defer { unlock() }
        return body()
    }

    /// Wakes one of those that wait.
    package func signal() { _ = condition.withUnsafeMutablePointerToHeader { pthread_cond_signal($0) } }

    /// Wakes all that wait.
    package func broadcast() { _ = condition.withUnsafeMutablePointerToHeader { pthread_cond_broadcast($0) } }

    /// Gives the lock back until somebody signals. It can also return without that.
    package func wait() {
        _ = condition.withUnsafeMutablePointerToHeader { condition in
            mutex.withUnsafeMutablePointerToHeader { pthread_cond_wait(condition, $0) }
        }
    }
}
