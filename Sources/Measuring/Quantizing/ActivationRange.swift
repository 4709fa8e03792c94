import Tensors

/// The distribution of a value's elements over several pictures: a histogram that widens as needed, and the means of
/// channels.
struct ActivationRange: Sendable {
    private var counts = [Int](repeating: 0, count: binCount)
    /// Half of the total width of the bins, which are symmetric around 0.
    private var reach: Float = 0
    private var total = 0
    private(set) var low: Float = 0
    private(set) var high: Float = 0
    private var channelSums: [Double] = []
    /// The largest magnitude of every channel.
    private(set) var channelMagnitudes: [Float] = []
    /// The number of elements added per channel.
    private var channelTotal = 0
    /// Whether channels are the last axis; otherwise they are the second.
    private let hasChannelsLast: Bool

    private static let binCount = 4096
    private static let maximumSamples = 50_000

    init(channelsLast: Bool = false) {
        hasChannelsLast = channelsLast
    }

    /// The mean of every channel.
    var channelMeans: [Double] { channelSums.map { $0 / Double(max(channelTotal, 1)) } }

    /// Adds a value's elements. Of many elements, only evenly spaced ones enter the histogram.
    mutating func add(_ value: Tensor) {
        let elements = value.elements(as: Float.self)
        addToHistogram(elements)
        guard value.shape.count >= 2, !elements.isEmpty else { return }
        let channels = value.shape[hasChannelsLast ? value.shape.count - 1 : 1]
        let area = hasChannelsLast ? 1 : elements.count / value.shape[0] / channels
        if channelSums.isEmpty {
            channelSums = [Double](repeating: 0, count: channels)
            channelMagnitudes = [Float](repeating: 0, count: channels)
        }
        guard channelSums.count == channels else { return }
        for first in stride(from: 0, to: elements.count, by: area) {
            let part = elements[first..<first + area]
            let sum = part.reduce(into: Float(0)) { $0 += $1 }
            let channel = first / area % channels
            if sum.isFinite { channelSums[channel] += Double(sum) }
            channelMagnitudes[channel] = part.reduce(channelMagnitudes[channel]) { max($0, abs($1)) }
        }
        channelTotal += elements.count / channels
    }

    private mutating func addToHistogram(_ elements: [Float]) {
        let stride = max(1, elements.count / Self.maximumSamples)
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

    /// Doubles the width of bins until they cover `needed`.
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

    /// The minimum width of a range whose elements can be told apart.
    private static let minimumWidth: Float = 1e-30

    /// The range for rounding: that of ``limits(leavingOut:)``; nil where the elements are 0 for all pictures.
    func roundingLimits(leavingOut part: Double) -> (low: Float, high: Float)? {
        let limits = limits(leavingOut: part)
        return limits.high - limits.low >= Self.minimumWidth ? limits : nil
    }

    /// The range that contains all elements except the given share at each end. It always includes 0.
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
