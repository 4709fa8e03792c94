/// The continuously differentiable exponential linear unit.
///
/// y = max(0, x) + min(0, alpha · (e^(x / alpha) − 1))
///
/// Shapes: any → the same.
/// Attributes: `alpha` (1).
/// Numerics: NaN stays NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__Celu.html
package struct Celu: ElementwiseUnary {
    package static let name = "Celu"
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

    package func apply(_ x: Double) -> Double {
        if x.isNaN { return x }
        let alpha = Double(alpha)
        return Swift.max(0, x) + Swift.min(0, alpha * (x / alpha).exponentialMinusOne)
    }
}
