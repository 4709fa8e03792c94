import Tensors

/// An operator that normalises rows of numbers: one axis, or all axes from one on.
package protocol AxisNormalization: Operator {
    /// The axis; negative counts from the end.
    var axis: Int { get }
    /// Whether all axes from `axis` on form one row.
    var flattensTrailingAxes: Bool { get }
    /// Replaces a row, which is not empty, by its normalised form.
    func normalize(_ row: inout [Double])
}

extension AxisNormalization {
    package static var inputCount: ClosedRange<Int> { 1...1 }

    package var attributes: [String: AttributeValue] {
        axis == (flattensTrailingAxes ? 1 : -1) ? [:] : ["axis": .int(Int64(axis))]
    }

    /// The axis in a tensor of `rank` axes, counted from 0.
    package func resolvedAxis(rank: Int) throws(OperatorError) -> Int {
        if flattensTrailingAxes, axis == rank { return axis }
        return try Axes.resolve(axis, rank: rank)
    }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let x = try inputs.floatingPoint(0)
        _ = try resolvedAxis(rank: x.rank)
        return [TensorType(x.elementType, x.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let x = try inputs.required(0)
        let axis = try resolvedAxis(rank: x.shape.count)
        let length = flattensTrailingAxes ? x.shape[axis...].reduce(1, *) : x.shape[axis]
        let inner = flattensTrailingAxes ? 1 : x.shape[(axis + 1)...].reduce(1, *)
        var values = x.float64Elements
        guard !values.isEmpty else { return [x] }
        var row = [Double](repeating: 0, count: length)
        for outer in 0..<values.count / (length * inner) {
            for offset in 0..<inner {
                let first = outer * length * inner + offset
                for index in 0..<length { row[index] = values[first + index * inner] }
                normalize(&row)
                for index in 0..<length { values[first + index * inner] = row[index] }
            }
        }
        return [try Tensor(values, as: x.elementType, shape: x.shape)]
    }
}
