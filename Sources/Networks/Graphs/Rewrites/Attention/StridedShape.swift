import Tensors

/// The axes of a view that is rearranged while its memory stays.
///
/// An axis is made of factors, outermost first: element i of an axis of factors (2, s) and (3, t) lies at (i / 3) · s +
/// (i mod 3) · t. So axes that are not adjacent in memory can be joined.
struct StridedShape {
    private struct Factor {
        var extent: Int
        var stride: Int
    }

    private var axes: [[Factor]]
    private(set) var offset = 0

    init(_ extents: [Int]) {
        axes = zip(extents, Shape.rowMajorStrides(extents)).map { [Factor(extent: $0, stride: $1)] }
    }

    var extents: [Int] { axes.map { $0.reduce(1) { $0 * $1.extent } } }

    /// The distances of successive elements of each axis; nil when those of one axis have several.
    var strides: [Int]? {
        var strides: [Int] = []
        for axis in axes {
            let factors = Self.joined(axis)
            guard factors.count <= 1 else { return nil }
            strides.append(factors.first?.stride ?? 0)
        }
        return strides
    }

    mutating func permute(_ order: [Int]) { axes = order.map { axes[$0] } }

    /// Selects one position of an axis, whose extent becomes 1.
    mutating func take(_ position: Int, axis: Int) -> Bool {
        slice(position < 0 ? position + extents[axis] : position, 1, axis: axis)
    }

    mutating func slice(_ start: Int, _ count: Int, axis: Int) -> Bool {
        guard start >= 0, count > 0, start + count <= extents[axis] else { return false }
        let factors = Self.joined(axes[axis])
        guard let outermost = factors.first else { return true }
        let inner = factors.dropFirst().reduce(1) { $0 * $1.extent }
        guard start % inner == 0, count % inner == 0 else { return false }
        offset += start / inner * outermost.stride
        axes[axis] = [Factor(extent: count / inner, stride: outermost.stride)] + factors.dropFirst()
        return true
    }

    /// Changes the extents, keeping the order of elements.
    ///
    /// - Returns: Whether strides can express the new shape.
    mutating func reshape(to target: [Int]) -> Bool {
        var factors = Self.joined(axes.flatMap { $0 })
        var result: [[Factor]] = []
        for extent in target.reversed() {
            var left = extent
            var axis: [Factor] = []
            while left > 1 {
                guard var factor = factors.popLast() else { return false }
                if factor.extent > left {
                    guard factor.extent % left == 0 else { return false }
                    factors.append(Factor(extent: factor.extent / left, stride: factor.stride * left))
                    factor.extent = left
                }
                guard left % factor.extent == 0 else { return false }
                left /= factor.extent
                axis.append(factor)
            }
            result.append(axis.reversed())
        }
        guard factors.isEmpty else { return false }
        axes = result.reversed()
        return true
    }

    /// Factors without those of one element, and with those joined that one stride describes.
    private static func joined(_ factors: [Factor]) -> [Factor] {
        var result: [Factor] = []
        for factor in factors where factor.extent > 1 {
            if let last = result.last, last.stride == factor.stride * factor.extent {
                result[result.count - 1] = Factor(extent: last.extent * factor.extent, stride: factor.stride)
            } else {
                result.append(factor)
            }
        }
        return result
    }
}
