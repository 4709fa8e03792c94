import Foundation

extension Duration {
    /// The duration as a number of seconds.
    package var inSeconds: Double { self / .seconds(1) }

    /// The duration as text, in milliseconds.
    package var inMilliseconds: String { String(format: "%.1f ms", inSeconds * 1000) }
}
