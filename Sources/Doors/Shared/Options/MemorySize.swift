import Apus
import ArgumentParser

/// A number of bytes, with an optional unit: `800M`, `4G`, `1.5GiB`, `1048576`.
package struct MemorySize: ExpressibleByArgument {
    package let byteCount: Int

    /// The default memory limit of a network, in addition to the share for its files.
    package static func standard(streams: Int) -> MemorySize {
        MemorySize(byteCount: (512 + 256 * min(max(0, streams - 1), 1024)) << 20)
    }

    private init(byteCount: Int) {
        self.byteCount = byteCount
    }

    /// A limit that should suffice after an allocation that would reach `byteCount` bytes was refused: twice that
    /// number, rounded up to a multiple of 256 MiB, or the machine's limit; nil if that is too small.
    package static func sufficient(forRefused byteCount: Int) -> String? {
        let maximum = MemoryBudget.maximumLimit
        guard byteCount > 0, byteCount <= maximum else { return nil }
        return "\(min((2 * byteCount >> 28 + 1) << 28, maximum) >> 20)M"
    }

    package init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let powers = ["": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40]
        var unit = argument.dropFirst(digits.count).uppercased()
        for suffix in ["IB", "B"] where unit.count > 1 && unit.hasSuffix(suffix) { unit.removeLast(suffix.count) }
        guard let number = Double(digits), let power = powers[unit] else { return nil }
        let bytes = number * Double(1 << power)
        guard bytes >= 1, bytes < 0x1p62 else { return nil }
        byteCount = Int(bytes)
    }
}
