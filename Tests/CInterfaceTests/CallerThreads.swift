import CInterface
import Testing
import TestSupport

extension Trait where Self == OwnThreads {
    /// Threads of their own for functions of the C library. The library leaves the limit on memory as it is, since
    /// other suites run in the same process at the same time.
    static var callerThreads: OwnThreads { OwnThreads { MemoryRestriction.keepLimit() } }
}
