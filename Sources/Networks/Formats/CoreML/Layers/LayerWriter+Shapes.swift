import Graphs
import Tensors

extension LayerWriter {
    /// Reshapes a value: 0 keeps an extent, and −1 stands for the remaining elements.
    mutating func reshaped(_ x: Graph.ValueID, _ shape: [Int]) throws(FormatError) -> Graph.ValueID {
        try apply(Reshape(), [x, try constant(integers: shape, "shape")])
    }

    /// The shape of a value, which may be known only in a run.
    mutating func shapeValue(of x: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        try apply(ShapeOperator(), [x])
    }

    mutating func transposed(_ x: Graph.ValueID, _ permutation: [Int]) throws(FormatError) -> Graph.ValueID {
        try apply(Transpose(permutation: permutation), [x])
    }

    /// Removes some axes of extent 1, or all.
    mutating func squeezed(_ x: Graph.ValueID, axes: [Int]?) throws(FormatError) -> Graph.ValueID {
        guard let axes else { return try apply(Squeeze(), [x]) }
        return try apply(Squeeze(), [x, try constant(integers: axes, "axes")])
    }

    /// Adds axes of extent 1.
    mutating func unsqueezed(_ x: Graph.ValueID, axes: [Int]) throws(FormatError) -> Graph.ValueID {
        try apply(Unsqueeze(), [x, try constant(integers: axes, "axes")])
    }

    /// Adds an axis of extent 1 at `axis` to each value.
    private mutating func unsqueezed(
        _ values: [Graph.ValueID], axis: Int
    ) throws(FormatError) -> [Graph.ValueID] {
        let axes = try constant(integers: [axis], "axes")
        var results: [Graph.ValueID] = []
        for value in values { results.append(try apply(Unsqueeze(), [value, axes])) }
        return results
    }

    /// Joins values along a new axis.
    mutating func stacked(_ values: [Graph.ValueID], axis: Int) throws(FormatError) -> Graph.ValueID {
        try apply(Concat(axis: axis), try unsqueezed(values, axis: axis))
    }

    /// Joins values along an axis, taking elements in turn: they are stacked along a new axis, which is then merged
    /// with that one.
    mutating func interleaved(_ values: [Graph.ValueID], axis: Int) throws(FormatError) -> Graph.ValueID {
        let together = try apply(Concat(axis: axis + 1), try unsqueezed(values, axis: axis + 1))
        let shape = try openShape(of: values[0])
        // The axes before keep their extents.
        var joined = [Int](repeating: 0, count: axis) + [-1]
        let rest = shape[(axis + 1)...].compactMap { $0 }
        if rest.count == shape.count - axis - 1 {
            joined += rest
            return try reshaped(together, joined)
        }
        let extents = try apply(ShapeOperator(start: axis + 1), [values[0]])
        let target = try apply(Concat(axis: 0), [try constant(integers: joined, "shape"), extents])
        return try apply(Reshape(), [together, target])
    }

    /// Splits an axis into parts.
    ///
    /// - Parameter sizes: The extents of the parts; nil for equal ones.
    mutating func split(
        _ x: Graph.ValueID, axis: Int, sizes: [Int]?, count: Int
    ) throws(FormatError) -> [Graph.ValueID] {
        var inputs = [x]
        if let sizes { inputs.append(try constant(integers: sizes, "sizes")) }
        return try apply(Split(axis: axis, partCount: count), inputs, outputCount: count)
    }

    mutating func tiled(_ x: Graph.ValueID, _ repeats: [Int]) throws(FormatError) -> Graph.ValueID {
        try apply(Tile(), [x, try constant(integers: repeats, "repeats")])
    }

    /// A value of a computed shape that holds one number everywhere.
    mutating func filled(_ shape: Graph.ValueID, with number: Float) throws(FormatError) -> Graph.ValueID {
        try apply(ConstantOfShape(value: try Self.tensor([number], [1])), [shape])
    }

    /// Pads a value. `pads` lists the begins of all axes, then the ends.
    mutating func padded(
        _ x: Graph.ValueID, _ pads: [Int], _ mode: Pad.Mode = .constant, with number: Float
    ) throws(FormatError) -> Graph.ValueID {
        try apply(Pad(mode: mode), [x, try constant(integers: pads, "pads"), try constant(number)])
    }

    // MARK: Triangles

    /// Sets the lower or upper triangle of each matrix to zero.
    ///
    /// - Parameter diagonal: The last diagonal that stays. The main diagonal is 0, and those above it are positive.
    mutating func triangle(
        _ x: Graph.ValueID, isUpper: Bool, diagonal: Int
    ) throws(FormatError) -> Graph.ValueID {
        let k = constant(try Self.tensor([Int64(diagonal)], []), "diagonal")
        return try apply(Trilu(isUpper: isUpper), [x, k])
    }

    /// Sets each matrix to zero outside a band around its diagonal.
    ///
    /// - Parameters:
    ///   - below: The number of diagonals that stay below the main one; all where it is negative.
    ///   - above: The number of diagonals that stay above it; all where it is negative.
    mutating func band(_ x: Graph.ValueID, below: Int, above: Int) throws(FormatError) -> Graph.ValueID {
        let lower = below < 0 ? x : try triangle(x, isUpper: true, diagonal: -below)
        return above < 0 ? lower : try triangle(lower, isUpper: false, diagonal: above)
    }
}
