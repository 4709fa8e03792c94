/// The exponential linear unit.
///
/// y = x where x ≥ 0, otherwise alpha · (eˣ − 1)
///
/// Shapes: any → the same.
/// Attributes: `alpha` (1).
/// Reference: https://onnx.ai/onnx/operators/onnx__Elu.html
package struct Elu: ElementwiseUnary {
    package static let name = "Elu"
    package var alpha: Float

    package init(alpha: Float = 1) {
        self.alpha = alpha
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alpha = try attributes.float("alpha", default: 1)
    }

    package var attributes: [String: AttributeValue] {
        alpha == 1 ? [:] : ["alpha": .float(alpha)]
    }

    package var kernelFunction: KernelFunction { KernelFunction(Self.name, alpha: alpha) }

    package func apply(_ x: Double) -> Double { x < 0 ? Double(alpha) * x.exponentialMinusOne : x }
}
