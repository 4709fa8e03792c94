import Platform

extension Duration {
    /// The duration as a number of seconds.
    package var inSeconds: Double { self / .seconds(1) }

    /// The duration as text, in milliseconds.
    package var inMilliseconds: String { (inSeconds * 1000).text(decimals: 1) + " ms" }
}
