extension Profile {
    /// The share of all layers with one kind of operator.
    public struct OperatorShare: Sendable, Codable {
        /// The operator, with the operators fused into it.
        public let `operator`: String
        /// The backend.
        public let backend: String
        /// The number of layers.
        public let count: Int
        /// The total time in seconds.
        public let seconds: Double
        /// The number of multiply-adds.
        public let multiplyAdds: Int
        /// The size of inputs, weights and outputs in bytes.
        public let bytes: Int
        /// The ``Profile/Layer/peakFraction`` of all these layers together.
        public let peakFraction: Double?

        /// The arithmetic throughput in GFLOP/s, with a multiply-add counted as two operations.
        public var gigaflopsPerSecond: Double { seconds > 0 ? 2e-9 * Double(multiplyAdds) / seconds : 0 }
        /// The bandwidth in GB/s.
        public var gigabytesPerSecond: Double { seconds > 0 ? 1e-9 * Double(bytes) / seconds : 0 }
    }

    /// The time by kind of operator and backend, longest first. Operators that take no time are left out.
    public var operators: [OperatorShare] {
        Dictionary(grouping: layers.filter { $0.seconds > 0 }) { [$0.operator, $0.backend] }.map { key, layers in
            let seconds = layers.reduce(0) { $0 + $1.seconds }
            let fractions = layers.map { ($0.peakFraction ?? 0) * $0.seconds }
            let isMeasured = layers.contains { $0.peakFraction != nil }
            return OperatorShare(
                operator: key[0], backend: key[1], count: layers.count, seconds: seconds,
                multiplyAdds: layers.reduce(0) { $0 &+ $1.multiplyAdds }, bytes: layers.reduce(0) { $0 &+ $1.bytes },
                peakFraction: isMeasured ? fractions.reduce(0, +) / seconds : nil)
        }.sorted { ($1.seconds, $0.operator, $0.backend) < ($0.seconds, $1.operator, $1.backend) }
    }
}
