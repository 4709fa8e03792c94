#if canImport(Glibc)
    import Glibc
#endif

/// The control groups of Linux that hold this process: its own, and those around it.
///
/// A container often sees its own group as the outermost one, although `/proc/self/cgroup` gives the whole path. Groups
/// of the path that do not exist are skipped.
package struct ControlGroups: Sendable {
    /// The folder that contains `/proc` and `/sys`; empty for `/`.
    private let root: String

    package init(root: String = "") {
        self.root = root
    }

    /// The lowest limit of memory among the groups, in bytes; nil when none has one.
    package var memoryLimit: Int? {
        settings(of: "memory", file: "memory.max", legacyFiles: ["memory.limit_in_bytes"])
            // A group without a limit has "max" here, or a number larger than any memory.
            .compactMap { $0.first.flatMap { Int($0) } }.filter { $0 > 0 }.min()
    }

    /// The lowest quota of processors among the groups, rounded up; nil when none has one.
    package var processorQuota: Int? {
        // Microseconds of processor time, and the period in which they may be used.
        settings(of: "cpu", file: "cpu.max", legacyFiles: ["cpu.cfs_quota_us", "cpu.cfs_period_us"])
            .compactMap { fields -> Int? in
                guard fields.count == 2, let time = Double(fields[0]), let period = Double(fields[1]), time > 0,
                    period > 0
                else { return nil }
                return Int(exactly: (time / period).rounded(.up))
            }
            .min()
    }

    /// The words of the files of a setting, for each group that has them.
    ///
    /// - Parameters:
    ///   - controller: What the setting is about, such as `memory`.
    ///   - file: The file's name in version 2 of control groups.
    ///   - legacyFiles: The files' names in version 1.
    private func settings(of controller: String, file: String, legacyFiles: [String]) -> [[Substring]] {
        var settings: [[Substring]] = []
        for line in (Self.text("\(root)/proc/self/cgroup") ?? "").split(separator: "\n") {
            // The format is number:controllers:path. Version 2 has no controllers.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let controllers = fields[1].split(separator: ",")
            let folders: [String], files: [String]
            if controllers.isEmpty {
                (folders, files) = (["", "/unified"], [file])
            } else if controllers.contains(Substring(controller)) {
                (folders, files) = (["/\(controller)", "/\(fields[1])"], legacyFiles)
            } else {
                continue
            }
            let parts = fields[2].split(separator: "/")
            for folder in folders {
                for depth in 0...parts.count {
                    let path = parts.prefix(depth).map { "/\($0)" }.joined()
                    let contents = files.compactMap { Self.text("\(root)/sys/fs/cgroup\(folder)\(path)/\($0)") }
                    guard contents.count == files.count else { continue }
                    settings.append(contents.flatMap { $0.split(whereSeparator: \.isWhitespace) })
                }
            }
        }
        return settings
    }

    /// The content of one of the system's small files.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }
}
