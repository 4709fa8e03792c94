import CPUKernels
import Foundation

/// What the operating system says of the processor.
package enum ProcessorInformation {
    /// The processor's name, such as `AMD EPYC 7R13 Processor`.
    package static let modelName: String = {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "processor"
    }()

    /// How many processors this process may use: its affinity, and the quota of its control group.
    package static let availableCount: Int = {
        let affinity = apus_available_processor_count()
        return max(1, min(affinity, quota ?? affinity))
    }()

    /// Bytes of a core's second-level cache; half a megabyte when the system does not say.
    package static let secondLevelCacheByteCount: Int = {
        let count = apus_second_level_cache_byte_count()
        return count > 0 ? count : 512 * 1024
    }()

    /// The control group's processor quota, rounded up; nil when there is none.
    private static var quota: Int? {
        func read(_ path: String) -> [Substring]? {
            (try? String(contentsOfFile: path, encoding: .utf8))?.split(whereSeparator: \.isWhitespace)
        }
        func rounded(_ quota: Substring?, _ period: Substring?) -> Int? {
            guard let quota = quota.flatMap({ Double($0) }), let period = period.flatMap({ Double($0) }), quota > 0,
                period > 0
            else { return nil }
            return Int((quota / period).rounded(.up))
        }
        if let fields = read("/sys/fs/cgroup/cpu.max") { return rounded(fields.first, fields.last) }
        return rounded(
            read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")?.first, read("/sys/fs/cgroup/cpu/cpu.cfs_period_us")?.first)
    }
}
