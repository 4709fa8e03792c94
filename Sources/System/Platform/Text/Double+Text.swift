import Glibc

extension Double {
    /// The number with a fixed number of decimals, and with spaces before it up to a width.
    package func text(decimals: Int, width: Int = 0) -> String { text("%\(width).\(decimals)f") }

    /// The number as C's `printf` writes it, with a point, in whatever language the process runs.
    ///
    /// - Parameter conversion: One conversion for a `double`, such as `%.1e`.
    package func text(_ conversion: String) -> String {
        let plain = newlocale(1 << LC_NUMERIC, "C", nil)
        let before = uselocale(plain)
        defer {
            uselocale(before)
            if let plain { freelocale(plain) }
        }
        return withVaList([self]) { arguments in
            // The largest number has 309 digits before its point.
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
                guard let start = buffer.baseAddress else { return "" }
                vsnprintf(start, buffer.count, conversion, arguments)
                return String(cString: start)
            }
        }
    }
}
