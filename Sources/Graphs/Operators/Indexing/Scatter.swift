/// Elements written to positions given by an index along one axis; ScatterElements replaced it in version 11.
///
/// y = x, then y[…, indices[…, i, …], …] = updates[…, i, …] for every i along `axis`
///
/// Shapes: x any, indices and updates with the same number of axes and extents not above x's along the others → x's.
/// Attributes: `axis` (0).
/// Errors: an index outside the axis; negative indices count from the end.
/// Reference: https://onnx.ai/onnx/operators/onnx__Scatter.html
package struct Scatter: ElementScattering {
    package static let name = "Scatter"
    package var axis: Int
    package var reduction: ScatterReduction { .none }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: 0)
    }
}
