import Graphs
import Tensors

extension LayerWriter {
    /// The same elements under another shape: 0 keeps an extent, −1 takes what is left.
    mutating func reshaped(_ x: Graph.ValueID, _ shape: [Int]) throws(FormatError) -> Graph.ValueID {
        try apply(Reshape(), [x, try constant(integers: shape, "shape")])
    }

    /// The shape of a value, which only a run may tell.
    mutating func shapeValue(of x: Graph.ValueID) throws(FormatError) -> Graph.ValueID {
        try apply(ShapeOperator(), [x])
    }

    mutating func transposed(_ x: Graph.ValueID, _ permutation: [Int]) throws(FormatError) -> Graph.ValueID {
        try apply(Transpose(permutation: permutation), [x])
    }

    /// Without some axes of 1, or without all.
    mutating func squeezed(_ x: Graph.ValueID, axes: [Int]?) throws(FormatError) -> Graph.ValueID {
        guard let axes else { return try apply(Squeeze(), [x]) }
        return try apply(Squeeze(), [x, try constant(integers: axes, "axes")])
    }

    /// With further axes of 1.
    mutating func unsqueezed(_ x: Graph.ValueID, axes: [Int]) throws(FormatError) -> Graph.ValueID {
        try apply(Unsqueeze(), [x, try constant(integers: axes, "axes")])
    }

    /// Each value with a further axis of 1 at `axis`.
    private mutating func unsqueezed(
        _ values: [Graph.ValueID], axis: Int
    ) throws(FormatError) -> [Graph.ValueID] {
        let axes = try constant(integers: [axis], "axes")
        var results: [Graph.ValueID] = []
        for value in values { results.append(try apply(Unsqueeze(), [value, axes])) }
        return results
    }

    /// Values joined along a new axis.
    mutating func stacked(_ values: [Graph.ValueID], axis: Int) throws(FormatError) -> Graph.ValueID {
        try apply(Concat(axis: axis), try unsqueezed(values, axis: axis))
    }

    /// Values joined along an axis, element by element in turn: beside one another on an axis of their own, which is then
    /// joined with that one.
    ///
    /// - Parameter shape: That of each value, with 0 for extents that stay open.
    mutating func interleaved(
        _ values: [Graph.ValueID], axis: Int, shape: [Int]
    ) throws(FormatError) -> Graph.ValueID {
        let together = try apply(Concat(axis: axis + 1), try unsqueezed(values, axis: axis + 1))
        var joined = shape
        joined[axis] = -1
        return try reshaped(together, joined)
    }

    /// Parts of an axis.
    ///
    /// - Parameter sizes: The parts' extents; nil for equal ones.
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

    /// A number in every place of a shape that is computed.
    mutating func filled(_ shape: Graph.ValueID, with number: Float) throws(FormatError) -> Graph.ValueID {
        try apply(ConstantOfShape(value: try Self.tensor([number], [1])), [shape])
    }

    /// Elements added around: begins of all axes, then ends.
    mutating func padded(
        _ x: Graph.ValueID, _ pads: [Int], _ mode: Pad.Mode = .constant, with number: Float
    ) throws(FormatError) -> Graph.ValueID {
        try apply(Pad(mode: mode), [x, try constant(integers: pads, "pads"), try constant(number)])
    }

    // MARK: Triangles

    /// Zeros in the lower or upper triangle of each matrix.
    ///
    /// - Parameter diagonal: The last diagonal that stays; 0 is the main one, and those above it are positive.
    mutating func triangle(
        _ x: Graph.ValueID, isUpper: Bool, diagonal: Int
    ) throws(FormatError) -> Graph.ValueID {
        let k = constant(try Self.tensor([Int64(diagonal)], []), "diagonal")
        return try apply(Trilu(isUpper: isUpper), [x, k])
    }

    /// Zeros outside of a band around the diagonal of each matrix.
    ///
    /// - Parameters:
    ///   - below: How many diagonals below the main one stay; all where it is negative.
    ///   - above: Likewise above.
    mutating func band(_ x: Graph.ValueID, below: Int, above: Int) throws(FormatError) -> Graph.ValueID {
        let lower = below < 0 ? x : try triangle(x, isUpper: true, diagonal: -below)
        return above < 0 ? lower : try triangle(lower, isUpper: false, diagonal: above)
    }
}
