import FoundationEssentials

/// The process's memory, as the system reports it.
package enum ProcessMemory {
    /// The maximum number of resident bytes since the process began or since ``resetPeak()``.
    package static var peakResidentBytes: Int? { value("VmHWM:") }

    /// The number of resident bytes.
    package static var residentBytes: Int? { value("VmRSS:") }

    /// Resets ``peakResidentBytes``, where the system allows it. https://docs.kernel.org/filesystems/proc.html
    package static func resetPeak() {
        guard let file = try? OutputFile(path: "/proc/self/clear_refs") else { return }
        try? file.write("5")
    }

    private static func value(_ key: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return kibibytes * 1024
    }
}
