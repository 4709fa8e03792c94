/// Exponentials along an axis, scaled to sum to 1.
///
/// y = e^(x − max x) / Σ e^(x − max x)
///
/// Shapes: any → the same.
/// Attributes: `axis` (−1). Where `flattensTrailingAxes`, all axes from `axis` on make one row.
/// Numerics: the largest element is subtracted first, so that nothing overflows.
/// Reference: https://onnx.ai/onnx/operators/onnx__Softmax.html
package struct Softmax: AxisNormalization {
    package static let name = "Softmax"
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
        let peak = row.reduce(-.infinity, Swift.max)
        var sum = 0.0
        for index in row.indices {
            row[index] = (row[index] - peak).exponential
            sum += row[index]
        }
        for index in row.indices { row[index] /= sum }
    }
}
