/// Elements written to positions given by an index along one axis.
///
/// y = x, then y[…, indices[…, i, …], …] = updates[…, i, …] for every i along `axis`, or combined with the old element.
///
/// Shapes: x any, indices and updates with the same number of axes and extents not above x's along the others → x's.
/// Attributes: `axis` (0), `reduction` (none; add, mul, max, min).
/// Errors: an index outside the axis; negative indices count from the end.
/// Numerics: of several updates of an element the last one wins; combined in float64; integers wrap around.
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
