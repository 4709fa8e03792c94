#if canImport(Glibc)
    import Glibc
#endif

/// The memory available to this process: that of the machine, or less where a control group of Linux allows less.
package struct MachineMemory: Sendable, Equatable {
    package let byteCount: Int

    /// The memory available to this process.
    package static let current = MachineMemory(physical: physical)

    /// - Parameters:
    ///   - physical: The bytes of the machine.
    ///   - root: The folder that contains `/proc` and `/sys`; empty for `/`.
    package init(physical: Int, root: String = "") {
        byteCount = min(physical, ControlGroups(root: root).memoryLimit ?? physical)
    }

    private static var physical: Int {
        let (bytes, overflow) = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(
            by: sysconf(Int32(_SC_PAGESIZE)))
        return overflow || bytes <= 0 ? 4 << 30 : bytes
    }
}
