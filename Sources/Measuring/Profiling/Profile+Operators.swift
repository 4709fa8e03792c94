extension Profile {
    /// The layers that one kind of operator has.
    public struct OperatorShare: Sendable, Codable {
        /// The operator, with what is fused into it.
        public let `operator`: String
        /// The backend.
        public let backend: String
        /// How many layers there are.
        public let count: Int
        /// How long they took together.
        public let seconds: Double
        /// Multiplications followed by an addition.
        public let multiplyAdds: Int
        /// Bytes of inputs, weights and outputs.
        public let bytes: Int
        /// As ``Profile/Layer/peakFraction``, over all of them.
        public let peakFraction: Double?

        /// Thousand million operations in a second, a multiply-add counted as two.
        public var gigaflopsPerSecond: Double { seconds > 0 ? 2e-9 * Double(multiplyAdds) / seconds : 0 }
        /// Thousand million bytes in a second.
        public var gigabytesPerSecond: Double { seconds > 0 ? 1e-9 * Double(bytes) / seconds : 0 }
    }

    /// The time by kind of operator and backend, longest first. What takes no time is left out.
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
