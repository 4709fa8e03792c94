/// The input times its logistic function; also called SiLU.
///
/// y = x / (1 + e^(−alpha · x))
///
/// Shapes: any → the same.
/// Attributes: `alpha` (1).
/// Numerics: where x is infinite and its factor 0, the limit, a zero of x's sign.
/// Reference: https://onnx.ai/onnx/operators/onnx__Swish.html
package struct Swish: ElementwiseUnary {
    package static let name = "Swish"
    package var alpha: Float

    package init(alpha: Float = 1) {
        self.alpha = alpha
    }

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        alpha = try attributes.float("alpha", default: 1)
    }

    package var attributes: [String: AttributeValue] { alpha == 1 ? [:] : ["alpha": .float(alpha)] }

    package var kernelFunction: KernelFunction { KernelFunction(Self.name, alpha: alpha) }

    package func apply(_ x: Double) -> Double { x.gated((Double(alpha) * x).logistic) }
}
