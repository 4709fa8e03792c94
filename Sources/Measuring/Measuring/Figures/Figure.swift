import Platform

/// Formats numbers for tables and pages, with three significant digits.
package enum Figure {
    /// A time: `1.23 s`, `12.3 ms`, `123 µs`.
    package static func time(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "–" }
        let size = abs(seconds)
        if size == 0 { return "0 s" }
        if size >= 0.9995 { return "\(number(seconds)) s" }
        if size >= 0.000_999_5 { return "\(number(seconds * 1e3)) ms" }
        return "\(number(seconds * 1e6)) µs"
    }

    /// An amount of memory: `1.50 MB`.
    package static func bytes(_ count: Int) -> String {
        let size = Double(count)
        if size >= 999.5e6 { return "\(number(size / 1e9)) GB" }
        if size >= 999.5e3 { return "\(number(size / 1e6)) MB" }
        if size >= 999.5 { return "\(number(size / 1e3)) kB" }
        return "\(count) B"
    }

    /// A share: `12.3 %`.
    package static func percent(_ share: Double) -> String {
        guard share.isFinite else { return "–" }
        return (100 * share).text(decimals: abs(share) >= 0.0995 ? 0 : 1) + " %"
    }

    /// An error: `1.2e-06`, `0` or `infinite`.
    package static func error(_ error: Double) -> String {
        if error == 0 { return "0" }
        if error >= 0.0995, error.isFinite { return error < 1000 ? number(error) : error.text("%.1e") }
        return error.isFinite ? error.text("%.1e") : error.isNaN ? "not a number" : "infinite"
    }

    /// A factor: `1.84 ×`.
    package static func factor(_ ratio: Double) -> String { "\(number(ratio)) ×" }

    /// A number with three significant digits, or all digits before the point if there are more.
    package static func number(_ value: Double) -> String {
        let size = abs(value)
        let decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 || size == 0 ? 2 : 3
        return value.text(decimals: decimals)
    }
}
