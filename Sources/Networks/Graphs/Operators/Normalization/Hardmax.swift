/// One at the position of the largest element along an axis, zero elsewhere.
///
/// y = 1 where x is the first max x, otherwise 0
///
/// Shapes: any → the same.
/// Attributes: `axis` (−1). Where `flattensTrailingAxes`, all axes from `axis` on make one row.
/// Reference: https://onnx.ai/onnx/operators/onnx__Hardmax.html
package struct Hardmax: AxisNormalization {
    package static let name = "Hardmax"
    package var axis: Int
    package var flattensTrailingAxes: Bool

    package init(axis: Int = -1, flattensTrailingAxes: Bool = false) {
        self.axis = axis
        self.flattensTrailingAxes = flattensTrailingAxes
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        self.init(axis: try attributes.int("axis", default: -1))
    }

    package func normalize(_ row: inout [Double]) {
        var best = 0
        for index in row.indices where row[index] > row[best] { best = index }
        for index in row.indices { row[index] = index == best ? 1 : 0 }
    }
}
