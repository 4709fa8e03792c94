/// How the second of two inputs meets the first, where that is not the rule of ``Broadcasting``.
package enum OperandAlignment: Sendable, Hashable {
    /// Both have the same shape: nothing is repeated.
    case equalShapes
    /// The first axis of the second input lies at this axis of the first; a negative one counts from the end.
    case axis(Int)

    /// The shape of the second input with which the rule of ``Broadcasting`` gives the same.
    ///
    /// - Throws: ``OperatorError/invalid(_:)`` where the shapes do not fit.
    package func aligned(_ b: [Int], to a: [Int]) throws(OperatorError) -> [Int] {
        switch self {
        case .equalShapes:
            guard a == b else { throw .invalid("shapes \(a) and \(b) differ, and \"broadcast\" is 0") }
            return b
        case .axis(let axis):
            let start = try Axes.resolve(axis, rank: a.count)
            guard start + b.count <= a.count else {
                throw .invalid("shape \(b) at axis \(start) exceeds shape \(a)")
            }
            return b + [Int](repeating: 1, count: a.count - start - b.count)
        }
    }

    var attributes: [String: AttributeValue] {
        switch self {
        case .equalShapes: [:]
        case .axis(let axis): ["broadcast": .int(1), "axis": .int(Int64(axis))]
        }
    }
}
