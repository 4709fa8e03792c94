import Foundation

/// What the system says of the process's memory.
package enum ProcessMemory {
    /// The most bytes that were in memory since the process began, or since ``resetPeak()``.
    package static var peakResidentBytes: Int? { value("VmHWM:") }

    /// Bytes in memory now.
    package static var residentBytes: Int? { value("VmRSS:") }

    /// Begins a new peak, where the system allows it. https://docs.kernel.org/filesystems/proc.html
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
