import Tensors

/// Elements selected by an index along one axis, one for each place of the result.
///
/// y[…, i, …] = x[…, indices[…, i, …], …], where the index is that of `axis`.
///
/// Shapes: x any, indices with the same number of axes and extents not above x's along the others → the indices'.
/// Attributes: `axis` (0).
/// Errors: an index outside the axis; negative indices count from the end.
/// Reference: https://onnx.ai/onnx/operators/onnx__GatherElements.html
package struct GatherElements: Operator {
    package static let name = "GatherElements"
    package static let inputCount = 2...2
    package var axis: Int

    package init(axis: Int = 0) {
        self.axis = axis
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: 0)
    }

    package var attributes: [String: AttributeValue] { axis == 0 ? [:] : ["axis": .int(Int64(axis))] }

    package func outputTypes(for inputs: [TensorType?]) throws(OperatorError) -> [TensorType] {
        let (x, indices) = (try inputs.required(0), try inputs.indices(1))
        try IndexedAxis.check(indices.shape, within: x.shape, try Axes.resolve(axis, rank: x.rank))
        return [TensorType(x.elementType, indices.shape)]
    }

    package func evaluate(_ inputs: [Tensor?], outputTypes: [TensorType]) throws -> [Tensor] {
        let (x, indices) = (try inputs.required(0), try inputs.required(1))
        let axis = try Axes.resolve(axis, rank: x.shape.count)
        let positions = try IndexedAxis.positions(indices, in: x.shape, axis)
        return [try x.gatheringRuns(positions, length: 1, shape: indices.shape)]
    }
}
