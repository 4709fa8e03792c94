#if canImport(Glibc)
    import Glibc
#endif

/// The memory available to this process: that of the machine, or less where a control group of Linux or a limit of the
/// process (`ulimit -v`, `ulimit -d`) allows less.
package struct MachineMemory: Sendable, Equatable {
    package let byteCount: Int

    /// The memory available to this process.
    package static let current = MachineMemory(physical: min(physical, addressSpace))

    /// - Parameters:
    ///   - physical: The bytes of the machine.
    ///   - root: The folder that contains `/proc` and `/sys`; empty for `/`.
    package init(physical: Int, root: String = "") {
        byteCount = min(physical, ControlGroups(root: root).memoryLimit ?? physical)
    }

    /// Whether the system refuses this process the memory that any work needs.
    package static var isExhausted: Bool {
        let byteCount = 8 << 20
        guard let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { return true }
        munmap(start, byteCount)
        return false
    }

    /// What the limits of the process leave of its address space.
    private static var addressSpace: Int {
        let pages = ControlGroups.text("/proc/self/statm")?.split(separator: " ").compactMap { Int($0) } ?? []
        func rest(_ resource: __rlimit_resource_t, usedPages: Int?) -> Int {
            guard let limit = limit(resource) else { return .max }
            return max(0, limit - (usedPages ?? 0) * Int(getpagesize()))
        }
        // All pages stand first in the file, and those of data sixth.
        return min(
            rest(__rlimit_resource_t(RLIMIT_AS.rawValue), usedPages: pages.first),
            rest(__rlimit_resource_t(RLIMIT_DATA.rawValue), usedPages: pages.dropFirst(5).first))
    }

    /// Whether a limit of the process is set on its address space.
    package static var isLimited: Bool {
        [RLIMIT_AS, RLIMIT_DATA].contains { limit(__rlimit_resource_t($0.rawValue)) != nil }
    }

    private static func limit(_ resource: __rlimit_resource_t) -> Int? {
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return nil }
        // Without a limit this is the largest number.
        return Int(exactly: limits.rlim_cur)
    }

    private static var physical: Int {
        let (bytes, overflow) = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(
            by: sysconf(Int32(_SC_PAGESIZE)))
        return overflow || bytes <= 0 ? 4 << 30 : bytes
    }
}
