import Planning

/// The plans of a session. When there are too many, the least recently used is removed.
struct PlanCache {
    /// The key of a plan.
    struct Key: Hashable {
        /// The extents of the inputs.
        let shapes: [[Int]]
        let limit: DeviceLimit
    }

    private static let capacity = 32
    private var plans: [Key: (plan: Executable, lastUse: Int)] = [:]
    private var clock = 0
    /// The number of plans that were inserted, removed ones included.
    private(set) var insertionCount = 0

    subscript(key: Key) -> Executable? {
        mutating get {
            clock += 1
            plans[key]?.lastUse = clock
            return plans[key]?.plan
        }
        set {
            clock += 1
            insertionCount += 1
            plans[key] = newValue.map { ($0, clock) }
            if plans.count > Self.capacity, let oldest = plans.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                plans[oldest.key] = nil
            }
        }
    }
}
