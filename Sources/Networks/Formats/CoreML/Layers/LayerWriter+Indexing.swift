import Graphs

/// The operation that combines updates with the elements in their place.
enum ScatterMode: Int64 {
    case update, add, subtract, multiply, divide, maximum, minimum

    fileprivate var reduction: ScatterReduction {
        switch self {
        case .update: .none
        case .add, .subtract: .add
        case .multiply, .divide: .mul
        case .maximum: .max
        case .minimum: .min
        }
    }
}

extension LayerWriter {
    /// The updates as they are scattered: negated for a difference, inverted for a quotient.
    mutating func scatterable(_ updates: Graph.ValueID, _ mode: ScatterMode) throws(FormatError) -> Graph.ValueID {
        switch mode {
        case .subtract: try apply(Neg(), [updates])
        case .divide: try apply(Reciprocal(), [updates])
        default: updates
        }
    }

    /// Scatters the result of ``scatterable(_:_:)`` to index vectors over the first axes; where an axis is given, to
    /// indices along it, element by element. Indices are int64.
    mutating func scattered(
        _ x: Graph.ValueID, at indices: Graph.ValueID, _ updates: Graph.ValueID, _ mode: ScatterMode, axis: Int? = nil
    ) throws(FormatError) -> Graph.ValueID {
        let inputs = [x, indices, updates]
        guard let axis else { return try apply(ScatterND(reduction: mode.reduction), inputs) }
        return try apply(ScatterElements(axis: axis, reduction: mode.reduction), inputs)
    }

    /// Moves some adjacent axes, in their order, to another place.
    mutating func moved(
        _ x: Graph.ValueID, _ axes: Range<Int>, to place: Int
    ) throws(FormatError) -> Graph.ValueID {
        let rank = try shape(of: x).count
        guard axes.upperBound <= rank else { throw .invalid("\(rank) axes where \(axes.upperBound) are needed") }
        if axes.lowerBound == place { return x }
        var order = Array(0..<rank)
        order.removeSubrange(axes)
        order.insert(contentsOf: axes, at: place)
        return try transposed(x, order)
    }

    /// Turns each index into a vector that is `on` at the index and `off` elsewhere.
    ///
    /// - Parameter size: The length of the vectors.
    mutating func oneHot(
        _ indices: Graph.ValueID, size: Graph.ValueID, off: Float, on: Float, axis: Int
    ) throws(FormatError) -> Graph.ValueID {
        try apply(OneHot(axis: axis), [indices, size, try constant([off, on], shape: [2], "values")])
    }

    /// The largest or smallest elements along an axis, in order, and their positions.
    ///
    /// - Parameter count: The number of elements, as one integer.
    mutating func top(
        _ x: Graph.ValueID, count: Graph.ValueID, axis: Int, isLargest: Bool
    ) throws(FormatError) -> (values: Graph.ValueID, indices: Graph.ValueID) {
        let results = try apply(TopK(axis: axis, isLargest: isLargest), [x, count], outputCount: 2)
        return (results[0], results[1])
    }

    // MARK: Reductions

    /// Reduces some axes, or all where none are given.
    mutating func reduced(
        _ x: Graph.ValueID, _ reduction: any Reduction.Type, axes: [Int], keepsAxes: Bool
    ) throws(FormatError) -> Graph.ValueID {
        let operation = reduction.init(axes: ReductionAxes(keepsAxes: keepsAxes))
        return try apply(operation, axes.isEmpty ? [x] : [x, try constant(integers: axes, "axes")])
    }

    /// The position of the largest or smallest element along an axis.
    mutating func extremum(
        _ x: Graph.ValueID, _ search: any ExtremumSearch.Type, axis: Int, keepsAxis: Bool
    ) throws(FormatError) -> Graph.ValueID {
        try apply(search.init(search: ExtremumAxis(axis: axis, keepsAxis: keepsAxis)), [x])
    }

    mutating func cumulativeSum(
        _ x: Graph.ValueID, axis: Int, isExclusive: Bool, isReverse: Bool
    ) throws(FormatError) -> Graph.ValueID {
        let order = RunningOrder(isExclusive: isExclusive, isReverse: isReverse)
        return try apply(CumSum(order: order), [x, try constant(integers: [axis], "axis")])
    }
}
