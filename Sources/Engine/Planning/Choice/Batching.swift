/// How many images of a batch a planner lets run at a time.
package enum BatchDivision: Sendable {
    /// This number, or the next smaller number that divides the batch.
    case images(Int)
    /// The number that is expected to be fastest with a cache of this size.
    case fitting(cacheByteCount: Int)
}

/// How the images of a batch are run: all together, or some at a time.
package struct Batching: Sendable, Equatable {
    /// How often the steps run for one batch.
    package let runCount: Int
    /// The reason, as a phrase.
    package let reason: String

    package init(runCount: Int, reason: String) {
        self.runCount = runCount
        self.reason = reason
    }
}

/// The cost of a batch as a function of how many of its images run at a time.
struct BatchingCost {
    /// Bytes of memory for one image's values between steps.
    var arenaByteCount: Int
    /// Bytes that the steps read and write for one image, weights apart.
    var activationByteCount: Int
    /// Bytes of all weights.
    var weightByteCount: Int
    var stepCount: Int
    /// Bytes of cache that a run can count on.
    var cacheByteCount: Int

    /// Expected microseconds per image, as far as they depend on how many images run at a time: 2 µs to start a step,
    /// and 1 ns for every 10 bytes that do not stay in the cache. A run reads the weights once.
    func microseconds(imagesPerRun: Int) -> Double {
        let arena = Double(imagesPerRun * arenaByteCount)
        let weights = Double(weightByteCount)
        let traffic =
            weights / Double(imagesPerRun) * spilling(weights + arena) + Double(activationByteCount) * spilling(arena)
        return Double(2 * stepCount) / Double(imagesPerRun) + traffic / 10_000
    }

    /// The part of `byteCount` bytes that does not stay in the cache.
    private func spilling(_ byteCount: Double) -> Double {
        max(0, 1 - Double(cacheByteCount) / max(byteCount, 1))
    }

    /// The divisor of `batch` that is expected to be fastest; among equally fast ones the largest.
    func imagesPerRun(batch: Int) -> Int {
        let small = sequence(first: 1) { $0 + 1 }.prefix { $0 <= batch / $0 }.filter { batch % $0 == 0 }
        let divisors = Set(small + small.map { batch / $0 }).sorted(by: >)
        return divisors.min { microseconds(imagesPerRun: $0) < microseconds(imagesPerRun: $1) } ?? batch
    }
}
