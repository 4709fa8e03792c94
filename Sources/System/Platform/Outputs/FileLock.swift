import Glibc

/// Locks on whole open files (`flock`).
package enum FileLock {
    /// Releases a lock and closes its descriptor.
    ///
    /// Closing alone does not release it while a child process that is about to start its program has a copy of the
    /// descriptor.
    package static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
