import CApus
import Glibc
import Synchronization

/// Refuses calls in the child of a process whose library had started threads: the child has none of them, and locks may
/// stay locked.
enum ProcessGuard {
    /// The process in which the first threads started; 0 before.
    private static let owner = Atomic<Int32>(0)

    /// Remembers that threads of the library start in this process.
    static func willStartThreads() {
        _ = owner.compareExchange(expected: 0, desired: getpid(), ordering: .relaxed)
    }

    /// - Throws: ``InterfaceError`` in the child of such a process.
    static func check() throws(InterfaceError) {
        let owner = owner.load(ordering: .relaxed)
        guard owner == 0 || owner == getpid() else {
            throw InterfaceError(
                status: APUS_ERROR_FORK, code: "fork",
                message: "this process was forked after Apus had started threads in its parent; fork before the first "
                    + "session, or start a new process (spawn)")
        }
    }
}
