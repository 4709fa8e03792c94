/// What a machine, or a device of it, can do at most, as measured.
///
///     let limits = try await MachineLimits.measured(threads: 2)
///     print(limits.gigaflopsPerSecond, limits.gigabytesPerSecond)
public struct MachineLimits: Sendable, Hashable, Codable {
    /// What of a machine a computation uses up first.
    public enum Bound: String, Sendable, Codable {
        /// Arithmetic.
        case compute
        /// Memory.
        case bandwidth
    }

    /// The processor with its instructions, or the device.
    public let device: String
    /// The processor threads that worked side by side; nil for a device of OpenCL.
    public let threads: Int?
    /// Multiplications of float32 numbers followed by an addition, made in registers, in a second.
    public let multiplyAddsPerSecond: Double
    /// Bytes read in a second from memory that no cache holds.
    public let bytesPerSecond: Double

    public init(device: String, threads: Int?, multiplyAddsPerSecond: Double, bytesPerSecond: Double) {
        self.device = device
        self.threads = threads
        self.multiplyAddsPerSecond = multiplyAddsPerSecond
        self.bytesPerSecond = bytesPerSecond
    }

    /// What each of so many streams has that share the machine equally.
    public func share(of streams: Int) -> MachineLimits {
        MachineLimits(
            device: device, threads: threads.map { max(1, $0 / max(streams, 1)) },
            multiplyAddsPerSecond: multiplyAddsPerSecond / Double(max(streams, 1)),
            bytesPerSecond: bytesPerSecond / Double(max(streams, 1)))
    }

    /// Thousand million operations in a second, a multiply-add counted as two.
    public var gigaflopsPerSecond: Double { 2e-9 * multiplyAddsPerSecond }
    /// Thousand million bytes in a second.
    public var gigabytesPerSecond: Double { 1e-9 * bytesPerSecond }

    /// The shortest time in which so much can be done, and what binds it; nil when nothing is done.
    ///
    /// Bytes that lie in a cache move faster than ``bytesPerSecond`` says, so that small values can take less time.
    public func shortestTime(multiplyAdds: Int, bytes: Int) -> (seconds: Double, bound: Bound)? {
        let compute = Double(multiplyAdds) / multiplyAddsPerSecond
        let bandwidth = Double(bytes) / bytesPerSecond
        guard max(compute, bandwidth) > 0, max(compute, bandwidth).isFinite else { return nil }
        return compute >= bandwidth ? (compute, .compute) : (bandwidth, .bandwidth)
    }
}
