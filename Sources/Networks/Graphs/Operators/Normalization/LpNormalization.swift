/// An axis scaled to a norm of 1.
///
/// y = x / ‖x‖, where ‖x‖ = Σ |x| (p = 1) or √(Σ x²) (p = 2)
///
/// Shapes: any → the same.
/// Attributes: `axis` (−1), `p` (2).
/// Numerics: sums in float64; where the norm is 0 the result is 0, as in ONNX 1.21 and later.
/// Reference: https://onnx.ai/onnx/operators/onnx__LpNormalization.html
package struct LpNormalization: AxisNormalization {
    package static let name = "LpNormalization"
    package var axis: Int
    package var power: Int
    package var flattensTrailingAxes: Bool { false }

    package init(axis: Int = -1, power: Int = 2) {
        self.axis = axis
        self.power = power
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        axis = try attributes.int("axis", default: -1)
        power = try attributes.int("p", default: 2)
        guard power == 1 || power == 2 else { throw .invalid("attribute \"p\" is \(power); 1 or 2 is expected") }
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = axis == -1 ? [:] : ["axis": .int(Int64(axis))]
        if power != 2 { values["p"] = .int(Int64(power)) }
        return values
    }

    package func normalize(_ row: inout [Double]) {
        let norm =
            power == 1
            ? row.reduce(0) { $0 + $1.magnitude } : row.reduce(0) { $0 + $1 * $1 }.squareRoot()
        if norm == 0 { return }
        for index in row.indices { row[index] /= norm }
    }
}
