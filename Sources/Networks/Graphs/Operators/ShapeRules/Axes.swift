/// Axes of tensors as operators number them: from 0, or from the end with negative numbers.
package enum Axes {
    /// The axis that `axis` names in a tensor of `rank` axes.
    package static func resolve(_ axis: Int, rank: Int) throws(OperatorError) -> Int {
        guard axis >= -rank, axis < rank else {
            throw .invalid("axis \(axis) is outside a tensor with \(rank) axes")
        }
        return axis < 0 ? axis + rank : axis
    }

    /// The axes that `axes` names, in their order; a repeated axis is an error.
    package static func resolve(_ axes: [Int], rank: Int) throws(OperatorError) -> [Int] {
        var resolved: [Int] = []
        var seen = [Bool](repeating: false, count: rank)
        for axis in axes {
            let position = try resolve(axis, rank: rank)
            guard !seen[position] else { throw .invalid("axes \(axes) name axis \(position) twice") }
            seen[position] = true
            resolved.append(position)
        }
        return resolved
    }
}

extension [Int] {
    /// The product, checked for overflow.
    package func product(of what: String) throws(OperatorError) -> Int {
        var result = 1
        for factor in self {
            let (product, overflow) = result.multipliedReportingOverflow(by: factor)
            guard !overflow else { throw .invalid("\(what) \(self) is too large") }
            result = product
        }
        return result
    }

    /// The product, or the largest integer when it does not fit; factors are not negative.
    package var saturatingProduct: Int {
        if contains(0) { return 0 }
        var result = 1
        for factor in self {
            let (product, overflow) = result.multipliedReportingOverflow(by: factor)
            if overflow { return .max }
            result = product
        }
        return result
    }
}

extension Collection<Int> {
    /// The product of a shape's extents, which shape inference has checked.
    package var elementCount: Int { reduce(1, *) }
}
