/// The rectified linear unit with a slope for negative numbers.
///
/// y = x where x ≥ 0, otherwise alpha · x
///
/// Shapes: any → the same.
/// Attributes: `alpha` (0.01).
/// Reference: https://onnx.ai/onnx/operators/onnx__LeakyRelu.html
package struct LeakyRelu: ElementwiseUnary {
    package static let name = "LeakyRelu"
    package var alpha: Float

    package init(alpha: Float = 0.01) {
        self.alpha = alpha
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alpha = try attributes.float("alpha", default: 0.01)
    }

    package var attributes: [String: AttributeValue] {
        alpha == 0.01 ? [:] : ["alpha": .float(alpha)]
    }

    package var kernelFunction: KernelFunction { KernelFunction(Self.name, alpha: alpha) }

    package func apply(_ x: Double) -> Double { x >= 0 || x.isNaN ? x : Double(alpha) * x }
}
