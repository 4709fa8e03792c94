/// What numbers a value takes over some pictures: a histogram whose ends grow with what is seen.
struct ActivationRange: Sendable {
    private var counts = [Int](repeating: 0, count: binCount)
    /// Half the width of all bins together; bins lie evenly around 0.
    private var reach: Float = 0
    private var total = 0
    private(set) var low: Float = 0
    private(set) var high: Float = 0

    private static let binCount = 4096
    private static let mostSamples = 50_000

    /// Adds a value's elements, or an even part of many.
    mutating func add(_ elements: [Float]) {
        let stride = max(1, elements.count / Self.mostSamples)
        for element in elements where element.isFinite {
            low = min(low, element)
            high = max(high, element)
        }
        widen(to: max(-low, high))
        guard reach > 0 else { return }
        let scale = Float(Self.binCount) / (2 * reach)
        for index in Swift.stride(from: 0, to: elements.count, by: stride) where elements[index].isFinite {
            counts[min(Self.binCount - 1, max(0, Int((elements[index] + reach) * scale)))] += 1
            total += 1
        }
    }

    /// Doubles the bins' width until they reach far enough.
    private mutating func widen(to needed: Float) {
        guard needed > reach else { return }
        if reach == 0 || total == 0 {
            reach = needed
            return
        }
        while reach < needed {
            var wider = [Int](repeating: 0, count: Self.binCount)
            let quarter = Self.binCount / 4
            for index in counts.indices { wider[quarter + index / 2] += counts[index] }
            counts = wider
            reach *= 2
        }
    }

    /// The numbers that all but the given part at each end lie between; 0 is among them.
    func limits(leavingOut part: Double) -> (low: Float, high: Float) {
        let allowed = Int(Double(total) * part)
        let width = 2 * reach / Float(Self.binCount)
        var (first, last) = (0, Self.binCount - 1)
        var (below, above) = (0, 0)
        while first < last, below + counts[first] <= allowed {
            below += counts[first]
            first += 1
        }
        while last > first, above + counts[last] <= allowed {
            above += counts[last]
            last -= 1
        }
        return (
            min(0, max(low, Float(first) * width - reach)), max(0, min(high, Float(last + 1) * width - reach))
        )
    }
}
