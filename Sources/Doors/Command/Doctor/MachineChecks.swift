import Apus
import Caching
import FoundationEssentials
import Glibc
import Measuring
import Platform
import SharedOptions
import Tensors

/// The checks of `apus doctor` that are about the machine.
enum MachineChecks {
    /// All of them. The processor is measured for some tenths of a second, in which nothing else should run.
    static func findings() async throws(ApusError) -> [Finding] {
        let threads = Session.Options.availableThreads
        var findings = [self.threads(threads), try await processor(threads: 1)]
        findings += try await limits(threads: threads)
        return findings + [memory, hugePages, cache] + disks
    }

    private static func threads(_ threads: Int) -> Finding {
        let online = ProcessInfo.processInfo.processorCount
        guard let quota = ControlGroups().processorQuota, quota < online else {
            return .good("threads", "\(threads) of \(online) processors may be used")
        }
        return .note(
            "threads", "the control group allows \(quota) of \(online) processors; Apus uses \(threads)",
            advice: "raise the limit of processors of the container or service if it should use more")
    }

    /// The instruction sets, each with its peak on one thread.
    private static func processor(threads: Int) async throws(ApusError) -> Finding {
        let sets = try Catalog.instructionSets()
        let peaks = try await MachineLimits.measuredPeaks(threads: threads)
        let text = sets.map { set -> String in
            let peak = peaks[set.name].map { ", \(($0 * 2e-9).text(decimals: 0)) GFLOP/s on a thread" } ?? ""
            return "\(set.name) (\(set.state)\(peak))"
        }.joined(separator: ", ")
        guard sets.last?.state == .used else {
            return .note(
                "instructions", "\(text); a narrower set than the widest is used",
                advice: "unset APUS_INSTRUCTIONS unless rows must equal those of another machine")
        }
        guard sets.count > 1 else {
            return .note(
                "instructions", "\(text); the processor has no vector instructions that Apus has kernels for",
                advice:
                    "on x86-64 use a processor with AVX2 and FMA, or pass the host's processor to the virtual machine")
        }
        return .good("instructions", text)
    }

    private static func limits(threads: Int) async throws(ApusError) -> [Finding] {
        let limits = try await MachineLimits.measured(threads: threads)
        let rate = (limits.gigaflopsPerSecond).text(decimals: 0)
        let bandwidth = limits.gigabytesPerSecond.text(decimals: 1)
        return [
            .good(
                "processor",
                "\(limits.device): \(rate) GFLOP/s in float32 and \(bandwidth) GB/s from memory on \(threads) threads")
        ]
    }

    private static var memory: Finding {
        let available = MachineMemory.current.byteCount
        let text =
            "\(gibibytes(available)) GiB may be used"
            + (ControlGroups().memoryLimit.map { $0 <= available } == true ? " by the control group" : "")
            + ", tensors take at most \(gibibytes(MemoryBudget.process.limit)) GiB"
        guard available >= 1 << 30 else {
            return .note("memory", text, advice: "large networks need more; --memory-limit says how much is used")
        }
        return .good("memory", text)
    }

    private static var hugePages: Finding {
        let file = "/sys/kernel/mm/transparent_hugepage/enabled"
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            return .note("huge pages", "the system does not say whether it has them", advice: "none is needed")
        }
        let chosen =
            text.split(separator: " ").first { $0.hasPrefix("[") }?.dropFirst().prefix { $0 != "]" } ?? "unknown"
        guard chosen == "never" else { return .good("huge pages", "transparent huge pages: \(chosen)") }
        return .note(
            "huge pages", "transparent huge pages are switched off",
            advice: "echo madvise >\(file) as root makes large networks faster")
    }

    /// Without the cache everything works, but times and programs are measured and compiled again.
    private static var cache: Finding {
        let folder = UserCache.folder
        let advice = "set XDG_CACHE_HOME to a folder that this user alone can write, to keep times and programs"
        if let problem = UserCache.distrust(folder) {
            return .note("cache", "\(problem); stored times and programs are ignored", advice: advice)
        }
        guard (try? UserCache.make(folder)) != nil, access(folder, W_OK) == 0 else {
            return .note("cache", "\(folder) cannot be written", advice: advice)
        }
        return .good("cache", "\(folder) can be written, by this user alone")
    }

    /// The space that is left where the command stores and writes.
    private static var disks: [Finding] {
        [("disk of the cache", UserCache.folder), ("disk of this folder", ".")].compactMap { subject, folder in
            let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
            guard let free = attributes?[.systemFreeSize] as? UInt64 else { return nil }
            let text = "\(gibibytes(Int(clamping: free))) GiB are free at \(folder)"
            guard free >= 256 << 20 else { return .note(subject, text, advice: "free some space, or write elsewhere") }
            return .good(subject, text)
        }
    }

    private static func gibibytes(_ byteCount: Int) -> String { (Double(byteCount) / 0x1p30).text(decimals: 1) }
}
