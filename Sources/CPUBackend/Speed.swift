import Graphs

/// The expected speed of kernels on one core, for ranking lowerings before anything is measured.
enum Speed {
    /// Expected microseconds: arithmetic at `multiplyAddsPerMicrosecond` per thread, or memory traffic at 10 GB/s,
    /// whichever is longer, and one microsecond to start.
    static func microseconds(
        _ cost: OperatorCost, multiplyAddsPerMicrosecond: Double, threads: Int
    ) -> Double {
        let arithmetic = Double(cost.multiplyAdds) / multiplyAddsPerMicrosecond / Double(max(threads, 1))
        return 1 + max(arithmetic, Double(cost.bytes) / 10_000)
    }
}
