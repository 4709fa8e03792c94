import Images
import Tensors

/// The depth of every pixel of a picture: a number that grows, or falls, with the distance.
///
/// Networks differ in what the numbers mean: meters, or only an order, where a larger number is often nearer. They are
/// those of the network, brought to the size of the picture.
public struct DepthMap: Sendable {
    /// The size of the upright picture; that of the network's input for records that are arrays of numbers.
    public let imageSize: ImageSize
    /// The numbers, [height, width], of float32. Pixels that the network did not see are NaN.
    public let values: Tensor
    /// The least of the finite numbers.
    public let minimum: Float
    /// The largest of the finite numbers.
    public let maximum: Float
    /// The median of the finite numbers; of an even count the mean of the two in the middle.
    public let median: Float
    /// The numbers that are 0 and 65,535 in files of 16 bits, and the ends of the colors of drawings.
    public let range: ClosedRange<Float>

    /// - Returns: Nil when no number is finite.
    package init?(imageSize: ImageSize, values: Tensor, range: ClosedRange<Float>?) {
        guard let figures = DepthFigures(values.elements(as: Float.self)) else { return nil }
        (self.imageSize, self.values) = (imageSize, values)
        (minimum, maximum, median) = (figures.minimum, figures.maximum, figures.median)
        self.range = range ?? figures.minimum...figures.maximum
    }

    /// The share of the range, from 0 to `most`, of a number, rounded to the nearest; 0 for NaN.
    package func level(_ number: Float, most: Float) -> Int {
        let extent = Double(range.upperBound) - Double(range.lowerBound)
        guard extent > 0, !number.isNaN else { return 0 }
        let share = (Double(number) - Double(range.lowerBound)) / extent
        return Int((min(max(share, 0), 1) * Double(most)).rounded())
    }
}

/// The least, largest and middle of the finite numbers of a map.
struct DepthFigures {
    private(set) var minimum = Float.infinity
    private(set) var maximum = -Float.infinity
    let median: Float

    /// - Returns: Nil when no number is finite.
    init?(_ numbers: [Float]) {
        var counts = [Int](repeating: 0, count: 1 << 16)
        var total = 0
        for number in numbers where number.isFinite {
            minimum = min(minimum, number)
            maximum = max(maximum, number)
            counts[Int(Self.order(number) >> 16)] += 1
            total += 1
        }
        guard total > 0 else { return nil }
        let lower = Self.number(at: (total - 1) / 2, of: numbers, counts)
        let upper = Self.number(at: total / 2, of: numbers, counts)
        median = Float((Double(lower) + Double(upper)) / 2)
    }

    /// The bits of a number as an integer that grows with it.
    private static func order(_ number: Float) -> UInt32 {
        let bits = number.bitPattern
        return bits >> 31 == 1 ? ~bits : bits | 0x8000_0000
    }

    /// The finite number at a place in their order.
    ///
    /// - Parameter counts: How many numbers begin with each of the higher 16 bits of ``order(_:)``.
    private static func number(at place: Int, of numbers: [Float], _ counts: [Int]) -> Float {
        var rest = place
        let high = Self.bucket(counts, &rest)
        var lowCounts = [Int](repeating: 0, count: 1 << 16)
        for number in numbers where number.isFinite && order(number) >> 16 == high {
            lowCounts[Int(order(number) & 0xFFFF)] += 1
        }
        let bits = UInt32(high) << 16 | UInt32(Self.bucket(lowCounts, &rest))
        return Float(bitPattern: bits >> 31 == 1 ? bits & 0x7FFF_FFFF : ~bits)
    }

    /// The bucket that holds the entry at `rest`, which becomes the entry's place within it.
    private static func bucket(_ counts: [Int], _ rest: inout Int) -> Int {
        for (index, count) in counts.enumerated() {
            if rest < count { return index }
            rest -= count
        }
        return counts.count - 1
    }
}
