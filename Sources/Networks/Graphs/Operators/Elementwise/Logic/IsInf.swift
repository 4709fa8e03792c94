/// Whether elements are infinite.
///
/// y = x is ∞ or −∞
///
/// Shapes: any → the same (bool).
/// Attributes: `detect_negative` (1), `detect_positive` (1).
/// Reference: https://onnx.ai/onnx/operators/onnx__IsInf.html
package struct IsInf: ElementwisePredicate {
    package static let name = "IsInf"
    package var detectsNegative: Bool
    package var detectsPositive: Bool

    package init(detectsNegative: Bool = true, detectsPositive: Bool = true) {
        self.detectsNegative = detectsNegative
        self.detectsPositive = detectsPositive
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        detectsNegative = try attributes.bool("detect_negative", default: true)
        detectsPositive = try attributes.bool("detect_positive", default: true)
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [:]
        if !detectsNegative { values["detect_negative"] = .int(0) }
        if !detectsPositive { values["detect_positive"] = .int(0) }
        return values
    }

    package func holds(_ x: Double) -> Bool { x.isInfinite && (x < 0 ? detectsNegative : detectsPositive) }
}
