/// The measured peak arithmetic and bandwidth of a processor or device.
///
///     let limits = try await MachineLimits.measured(threads: 2)
///     print(limits.gigaflopsPerSecond, limits.gigabytesPerSecond)
public struct MachineLimits: Sendable, Hashable, Codable {
    /// The limit that a computation reaches first.
    public enum Bound: String, Sendable, Codable {
        /// Arithmetic throughput.
        case compute
        /// Memory bandwidth.
        case bandwidth
    }

    /// The name of the processor with its instruction set, or of the device.
    public let device: String
    /// The number of concurrent processor threads; nil for an OpenCL device.
    public let threads: Int?
    /// The float32 multiply-adds per second, with operands in registers.
    public let multiplyAddsPerSecond: Double
    /// The bytes per second read from memory outside the caches.
    public let bytesPerSecond: Double

    /// Makes limits from measured rates.
    public init(device: String, threads: Int?, multiplyAddsPerSecond: Double, bytesPerSecond: Double) {
        self.device = device
        self.threads = threads
        self.multiplyAddsPerSecond = multiplyAddsPerSecond
        self.bytesPerSecond = bytesPerSecond
    }

    /// The limits for one of several streams that share the machine equally.
    public func share(of streams: Int) -> MachineLimits {
        MachineLimits(
            device: device, threads: threads.map { max(1, $0 / max(streams, 1)) },
            multiplyAddsPerSecond: multiplyAddsPerSecond / Double(max(streams, 1)),
            bytesPerSecond: bytesPerSecond / Double(max(streams, 1)))
    }

    /// The arithmetic throughput in GFLOP/s, with a multiply-add counted as two operations.
    public var gigaflopsPerSecond: Double { 2e-9 * multiplyAddsPerSecond }
    /// The bandwidth in GB/s.
    public var gigabytesPerSecond: Double { 1e-9 * bytesPerSecond }

    /// The shortest time for an amount of work, and the limit that binds it; nil without work.
    ///
    /// Bytes in a cache move faster than ``bytesPerSecond``, so small values can take less time.
    public func shortestTime(multiplyAdds: Int, bytes: Int) -> (seconds: Double, bound: Bound)? {
        let compute = Double(multiplyAdds) / multiplyAddsPerSecond
        let bandwidth = Double(bytes) / bytesPerSecond
        guard max(compute, bandwidth) > 0, max(compute, bandwidth).isFinite else { return nil }
        return compute >= bandwidth ? (compute, .compute) : (bandwidth, .bandwidth)
    }
}
