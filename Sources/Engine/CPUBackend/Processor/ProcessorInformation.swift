import CPUKernels
import FoundationEssentials
import Tensors

/// The operating system's information about the processor.
package enum ProcessorInformation {
    /// The processor's name, such as `AMD EPYC 7R13 Processor`.
    package static let modelName: String = {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { String($0.drop(while: \.isWhitespace)) } ?? "processor"
    }()

    /// Bytes of cache that `threads` threads can count on: their second-level caches, and their share of the last
    /// level.
    ///
    /// A guest's last level is often its host's, so at most 4 MiB of it count for each thread. Where the system gives
    /// no information, a thread counts on 2 MiB.
    package static func cacheByteCount(threads: Int) -> Int {
        var perThread = 0
        for cache in caches {
            if cache.level == 2 { perThread += cache.byteCount / cache.sharers }
            if cache.level == 3 { perThread += min(4 << 20, cache.byteCount / cache.sharers) }
        }
        return threads * (perThread == 0 ? 2 << 20 : perThread)
    }

    /// Bytes of the largest cache that the system reports; 0 when it reports none.
    package static var lastLevelCacheByteCount: Int { caches.map(\.byteCount).max() ?? 0 }

    /// The caches that the first processor uses, and how many processors share each.
    private static var caches: [(level: Int, byteCount: Int, sharers: Int)] {
        let folder = "/sys/devices/system/cpu/cpu0/cache"
        func read(_ index: Int, _ file: String) -> String? {
            (try? String(contentsOfFile: "\(folder)/index\(index)/\(file)", encoding: .utf8))?
                .split(whereSeparator: \.isWhitespace).first.map(String.init)
        }
        return (0..<8).compactMap { index in
            guard let level = read(index, "level").flatMap({ Int($0) }), let size = read(index, "size"),
                size.hasSuffix("K"), let kibibytes = Int(size.dropLast())
            else { return nil }
            return (level, kibibytes << 10, max(1, count(inList: read(index, "shared_cpu_list") ?? "")))
        }
    }

    /// The number of entries in a list such as `0-3,8`.
    private static func count(inList list: String) -> Int {
        list.split(separator: ",").reduce(0) { sum, range in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, last >= first else { return sum }
            return sum + last - first + 1
        }
    }

    /// The number of processors that this process may use, by its affinity and the quotas of its control groups.
    package static let availableCount: Int = {
        let affinity = apus_available_processor_count()
        return max(1, min(affinity, ControlGroups().processorQuota ?? affinity))
    }()

    /// Bytes of a core's second-level cache; half a megabyte when the system does not report it.
    package static let secondLevelCacheByteCount: Int = {
        let count = apus_second_level_cache_byte_count()
        return count > 0 ? count : 512 * 1024
    }()
}
