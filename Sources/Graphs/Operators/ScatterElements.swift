/// Elements written to places that an index along one axis names.
///
/// y = x, then y[…, indices[…, i, …], …] = updates[…, i, …] for every i along `axis`, or combined with what was there.
///
/// Shapes: x any, indices and updates with as many axes and no more extent along the others → x's.
/// Attributes: `axis` (0), `reduction` (none; add, mul, max, min).
/// Errors: an index outside the axis; negative indices count from the end.
/// Numerics: of several updates of a place the last wins; combined in float64, and integers wrap around.
/// Reference: https://onnx.ai/onnx/operators/onnx__ScatterElements.html
package struct ScatterElements: ElementScattering {
    package static let name = "ScatterElements"
    package var axis: Int
    package var reduction: ScatterReduction

    package init(axis: Int = 0, reduction: ScatterReduction = .none) {
        self.axis = axis
        self.reduction = reduction
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: 0)
        reduction = try .read(&attributes)
    }
}
