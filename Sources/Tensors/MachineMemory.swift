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
        byteCount = ([physical] + Self.limits(root)).min() ?? physical
    }

    /// The limits of the control group of the process and of all enclosing groups.
    ///
    /// A container often sees its own group as the outermost one, although `/proc/self/cgroup` gives the whole path.
    /// Groups of the path that do not exist are skipped.
    private static func limits(_ root: String) -> [Int] {
        var limits: [Int] = []
        for line in (text("\(root)/proc/self/cgroup") ?? "").split(separator: "\n") {
            // The format is number:controllers:path. Version 2 has no controllers.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let controllers = fields[1].split(separator: ",")
            let folders: [String], file: String
            if controllers.isEmpty {
                (folders, file) = (["", "/unified"], "memory.max")
            } else if controllers.contains("memory") {
                (folders, file) = (["/memory"], "memory.limit_in_bytes")
            } else {
                continue
            }
            let parts = fields[2].split(separator: "/")
            for folder in folders {
                for depth in 0...parts.count {
                    let path = parts.prefix(depth).map { "/\($0)" }.joined()
                    let content = text("\(root)/sys/fs/cgroup\(folder)\(path)/\(file)")
                    // A group without a limit has "max" here, or a number larger than any memory.
                    if let limit = content.flatMap({ Int($0.prefix { $0.isNumber }) }), limit > 0 {
                        limits.append(limit)
                    }
                }
            }
        }
        return limits
    }

    /// The content of one of the system's small files.
    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    private static var physical: Int {
        let (bytes, overflow) = sysconf(Int32(_SC_PHYS_PAGES)).multipliedReportingOverflow(
            by: sysconf(Int32(_SC_PAGESIZE)))
        return overflow || bytes <= 0 ? 4 << 30 : bytes
    }
}
